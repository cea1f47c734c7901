"""Contrastive training of the upper layers, held to the stock model on general texts. Goes on from its last checkpoint."""

import json
import math
import os
import time

import torch
from torch.nn import functional as F

from data import Batches

SETTINGS = {
    "seed": 1,
    "epochs": 2,
    "steps": 0,  # 0: all of the epochs
    "blocks": 8,
    "block": 4,
    "general_size": 16,
    "rate": 6e-5,
    "warm_up": 12,
    "temperature": 0.05,
    "general_weight": 1.0,
    "question_tokens": 48,
    "document_tokens": 64,
    "tuned_share": 0.75,
    "mined": 30,
    "held_steps": 150,
    "held_rate": 3e-5,
    "held_general_size": 40,
    "held_general_weight": 3.0,
}
SAVE_EVERY = 20


def held_settings(settings):
    """The second part: shorter, with general texts that weigh more. It takes back much of what the first part moved them."""
    changed = ("steps", "rate", "general_size", "general_weight")
    return {**settings, **{name: settings[f"held_{name}"] for name in changed}}


def mine(texts, vectors_of, triples, units, most):
    """The nearest units that are wrong, by the stock model: answers of other servers, or of the same labelled set, that look right."""
    for name in {triple.get("set") for triple in triples}:
        of_set = [triple for triple in triples if triple.get("set") == name]
        mine_among(vectors_of, of_set, [unit for unit in units if unit.get("set") == name], most)


def mine_among(vectors_of, triples, units, most):
    numbers = sorted({unit["text"] for unit in units})
    vectors = vectors_of(numbers)
    questions = vectors_of([triple["question"] for triple in triples])
    for start in range(0, len(triples), 256):
        cosines = questions[start : start + 256] @ vectors.T
        nearest = cosines.topk(min(most + 12, len(numbers)), dim=1).indices
        for triple, best in zip(triples[start : start + 256], nearest):
            own = set(triple["right"]) | {triple["card"]}
            found = [numbers[int(i)] for i in best if numbers[int(i)] not in own]
            # The very nearest are often right too, under another name.
            triple["mined"] = found[2:most] if triple["style"] not in ("text", "entity") else []


def loss_of(encoder, texts, batch, stock_general, settings):
    questions = encoder.upper(*texts.lower(batch["questions"], settings["question_tokens"]))
    documents = encoder.upper(*texts.lower(batch["documents"], settings["document_tokens"]))
    scores = questions @ documents.T / settings["temperature"]
    scores = scores.masked_fill(~batch["allowed"], -1e4)
    loss = F.cross_entropy(scores, batch["right"])
    general = encoder.upper(*texts.lower(batch["general"]))
    moved = (1 - (general * stock_general[batch["general"]]).sum(-1)).mean()
    return loss, moved


def train(encoder, texts, triples, general, stock_general, folder, settings, log, look=None):
    """`look(encoder, step)` is called after each epoch. Returns the trained encoder."""
    checkpoint = os.path.join(folder, "checkpoint.pt")
    batches = Batches(
        triples, general, settings["blocks"], settings["block"], settings["general_size"], settings["seed"]
    )
    per_epoch = sum(1 for _ in batches.epoch(0))
    total = settings["steps"] or per_epoch * settings["epochs"]
    trained = [weight for weight in encoder.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=settings["rate"], weight_decay=0.01)

    def rate(step):
        if step < settings["warm_up"]:
            return (step + 1) / settings["warm_up"]
        return max(0.0, (total - step) / max(1, total - settings["warm_up"]))

    step = 0
    if os.path.exists(checkpoint):
        saved = torch.load(checkpoint)
        if saved["settings"] != settings:
            raise SystemExit(f"{checkpoint} is of other settings: remove it or name another --run.")
        encoder.load_state_dict(saved["encoder"], strict=False)
        optimizer.load_state_dict(saved["optimizer"])
        step = saved["step"]
        log(f"going on from step {step} of {total}")

    def save():
        state = {"settings": settings, "encoder": encoder.state_dict(), "optimizer": optimizer.state_dict(), "step": step}
        torch.save(state, f"{checkpoint}.new")
        os.replace(f"{checkpoint}.new", checkpoint)

    began, curve = time.process_time(), open(os.path.join(folder, "curve.jsonl"), "a")
    while step < total:
        epoch, skip = divmod(step, per_epoch)
        for at, batch in enumerate(batches.epoch(epoch)):
            if at < skip:
                continue
            for group in optimizer.param_groups:
                group["lr"] = settings["rate"] * rate(step)
            loss, moved = loss_of(encoder, texts, batch, stock_general, settings)
            optimizer.zero_grad()
            (loss + settings["general_weight"] * moved).backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            step += 1
            if not math.isfinite(float(loss)):
                raise SystemExit(f"the loss is {float(loss)} at step {step}")
            curve.write(json.dumps({"step": step, "loss": round(float(loss), 4), "moved": round(float(moved), 5)}) + "\n")
            if step % SAVE_EVERY == 0:
                curve.flush()
                save()
                cpu = (time.process_time() - began) / SAVE_EVERY
                log(f"step {step} of {total}: loss {float(loss):.3f}, moved {float(moved):.4f}, {cpu:.1f} s of CPU a step")
                began = time.process_time()
            if step == total:
                break
        save()
        if look is not None:
            look(encoder, step)
    curve.close()
    return encoder
