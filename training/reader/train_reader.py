#!/usr/bin/env python3
"""Trains the model that reads a query and a tool together. See training/README.md."""

import argparse
import json
import os
import random
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "training", "lib"), os.path.join(ROOT, "training")]

import numpy as np  # noqa: E402
import torch  # noqa: E402
from torch.nn import functional as F  # noqa: E402

from encoder import Encoder, read_safetensors  # noqa: E402
from reader import Reader, Texts, read, shipped_weights  # noqa: E402
from reader_export import export  # noqa: E402
from run import command, fetch_weights, log  # noqa: E402

MODEL = os.path.join(ROOT, "models", "dowser-tools-1")
SEED, BATCH, TOOLS, RATE, HEAD_RATE, WARM_UP = 1, 24, 6, 5e-5, 2e-3, 20
SAVE_EVERY = 50
# What the product does with the numbers: src/search/ranking/by-reading.ts.
MOST, CLOSE, WITHIN, PER_READING = 4, 0.2, 0.25, 0.1
# What the first tool of a search for servers is ahead of the same tool in a search for tools.
SHOWN_FIRST = 0.03


def lists_of(rows, texts):
    """Each question with its right tools, the wrong ones that Dowser finds first, and the siblings."""
    siblings = {}
    for kind, key in texts.at:
        if kind == "tool" and "#" in key:
            siblings.setdefault(key.split("#")[0], []).append(key)
    lists = []
    for row in rows:
        right = [key for key in row["right"] if texts.has(key)]
        if row["split"] not in ("train", "set") or not right:
            continue
        copies = {one["key"] for one in row["tools"] if one["right"]} | set(right)
        wrong = [one["key"] for one in row["tools"][:9] if not one["right"] and texts.has(one["key"])]
        wrong += [
            one["key"]
            for one in row["servers"][:3]
            if not one["right"] and texts.has(one["key"]) and one["key"] not in wrong
        ]
        tempting = row.get("tempting")
        own = [key for key in siblings.get(row["group"], []) if key not in copies and key not in wrong]
        lists.append(
            {
                "question": row["text"],
                "right": right,
                "wrong": wrong,
                "tempting": [tempting] if tempting and texts.has(tempting) and tempting not in copies else [],
                "siblings": own,
                "ours": row["split"] == "train",
            }
        )
    return lists


def sample(one, rng):
    """A right tool, and wrong ones: the tempting one, those that Dowser finds first, more often the first, and a sibling."""
    wrong = list(one["tempting"])
    pool = [key for key in one["wrong"] if key not in wrong]
    pool.sort(key=lambda key: one["wrong"].index(key) + rng.random() * 5)
    wrong += pool[: TOOLS - 2 - len(wrong)]
    if one["siblings"]:
        wrong.append(rng.choice(one["siblings"]))
    wrong += [key for key in pool if key not in wrong][: TOOLS - 1 - len(wrong)]
    return [rng.choice(one["right"])] + wrong


def order_of(lists, epochs):
    """All questions once, then ours again: the same order in each run, so that an interrupted one goes on."""
    rng, ordered = random.Random(SEED), []
    for epoch in range(epochs):
        part = [one for one in lists if one["ours"]] + [one for one in lists if epoch == 0 and not one["ours"]]
        rng.shuffle(part)
        ordered += part
    return ordered


def train(reader, texts, lists, epochs, folder):
    ordered = order_of(lists, epochs)
    steps = len(ordered) // BATCH
    head = [reader.cross, reader.w, *reader.v.parameters()]
    groups = [{"params": reader.layers.parameters(), "base": RATE}, {"params": head, "base": HEAD_RATE}]
    for layer in reader.layers:
        layer.requires_grad_(True)
    optimizer = torch.optim.AdamW(groups, lr=RATE, weight_decay=0.01)
    checkpoint, step = os.path.join(folder, "checkpoint.pt"), 0
    if os.path.exists(checkpoint):
        saved = torch.load(checkpoint)
        reader.load_state_dict(saved["reader"])
        optimizer.load_state_dict(saved["optimizer"])
        step = saved["step"]
        log(f"going on from step {step} of {steps}")
    curve = open(os.path.join(folder, "curve.jsonl"), "a")
    while step < steps:
        rng = random.Random(SEED * 100_000 + step)
        batch = [(one["question"], sample(one, rng)) for one in ordered[step * BATCH : (step + 1) * BATCH]]
        for group in optimizer.param_groups:
            group["lr"] = group["base"] * min(1, (step + 1) / WARM_UP) * (1 - step / steps)
        pairs = [(question, key) for question, keys in batch for key in keys]
        by_length = sorted(range(len(pairs)), key=lambda i: texts.length(pairs[i]))
        numbers = torch.zeros(len(pairs))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            for start in range(0, len(pairs), 48):
                part = by_length[start : start + 48]
                made = reader(*texts.batch([pairs[i] for i in part])).float()
                numbers = numbers.index_put((torch.tensor(part),), made)
        losses = [-F.log_softmax(own, -1)[0] for own in numbers.split([len(keys) for _, keys in batch])]
        loss = torch.stack(losses).mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
        optimizer.step()
        step += 1
        curve.write(json.dumps({"step": step, "loss": round(float(loss), 4)}) + "\n")
        if step % SAVE_EVERY == 0 or step == steps:
            curve.flush()
            state = {"reader": reader.state_dict(), "optimizer": optimizer.state_dict(), "step": step}
            torch.save(state, f"{checkpoint}.new")
            os.replace(f"{checkpoint}.new", checkpoint)
            log(f"step {step} of {steps}: loss {float(loss):.3f}")


def measure(reader, texts, rows):
    """How often the first tool is right before and after, as the product would choose. A sketch: the product itself decides."""
    asked = []
    for row in rows:
        found = {one["key"]: dict(one) for one in row["tools"][:8] if texts.has(one["key"])}
        first = row["servers"][0] if row["servers"] else None
        if first is not None and first["key"] in found:
            found[first["key"]]["score"] += SHOWN_FIRST
        ordered = sorted(found.values(), key=lambda one: -one["score"])
        close = len(ordered) > 1 and ordered[0]["score"] - ordered[1]["score"] <= CLOSE
        chosen = [one for one in ordered[:MOST] if ordered[0]["score"] - one["score"] <= WITHIN] if close else []
        asked.append((row["text"], first, chosen))
    numbers = read(reader, texts, [(text, one["key"]) for text, _, chosen in asked for one in chosen])
    before = [bool(first and first["right"]) for _, first, _ in asked]
    after = []
    for (text, _, chosen), was in zip(asked, before):
        best = max(chosen, key=lambda one: one["score"] + PER_READING * numbers[(text, one["key"])], default=None)
        after.append(was if best is None else best["right"])
    reads = np.mean([len(chosen) for _, _, chosen in asked])
    won, lost = sum(a and not b for a, b in zip(after, before)), sum(b and not a for a, b in zip(after, before))
    return f"{np.mean(before):.3f} to {np.mean(after):.3f} (won {won}, lost {lost}), {reads:.1f} tools read"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="folder with mcp_corpus and the sets")
    parser.add_argument("--sets", default="metatool,ultratool,sealtools,bfcl", help="labelled sets to train on too")
    parser.add_argument("--cache", default=os.path.join(ROOT, ".cache", "training"))
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--test", action="store_true", help="also measure the test split: once, at the end")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(SEED)
    folder = os.path.join(args.cache, "reader")
    if not os.path.exists(os.path.join(folder, "done")):
        script = ("npx", "tsx", "training/reader/candidates.ts", "--data", args.data, "--out", folder)
        command(*script, "--sets", args.sets)
        open(os.path.join(folder, "done"), "w").close()
    with open(os.path.join(folder, "questions.jsonl")) as file:
        rows = [json.loads(line) for line in file]
    graph = os.path.join(MODEL, "onnx", "model_quantized.onnx")
    stock = read_safetensors(fetch_weights(os.path.join(args.cache, "weights")))
    encoder = Encoder(shipped_weights(stock, graph))
    texts = Texts(folder, encoder, log)
    reader = Reader(encoder)
    train(reader, texts, lists_of(rows, texts), args.epochs, folder)
    measured = [("dev", "all"), ("dev", "small"), ("golden", "all")]
    if args.test:
        measured += [("test", "all"), ("test", "small")]
    for split, size in measured:
        of = [row for row in rows if (row["split"], row["size"]) == (split, size)]
        log(f"{split}, {size}: the first tool is right {measure(reader, texts, of)}")
    out = os.path.join(folder, "model", "onnx")
    os.makedirs(out, exist_ok=True)
    export(reader, graph, os.path.join(out, "model_quantized.onnx"))
    log(f"wrote {out}")


if __name__ == "__main__":
    main()
