"""Prepared texts, the outputs of the frozen layers for them, and batches."""

import json
import os
import random

import numpy as np
import torch

from encoder import FROZEN, WIDTH, padded


class Texts:
    """Token ids of every text, with the output of the frozen layers in a file."""

    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "texts.jsonl")) as file:
            rows = [json.loads(line) for line in file]
        self.ids = [row["ids"] for row in rows]
        self.kinds = [row["kind"] for row in rows]
        self.starts = np.concatenate([[0], np.cumsum([len(ids) for ids in self.ids])]).astype(np.int64)

    def __len__(self):
        return len(self.ids)

    def open_lower(self, encoder, log):
        """Computes what is missing, in order of length; an interrupted run goes on where it stopped."""
        path = os.path.join(self.folder, f"lower-{FROZEN}.f16")
        done_path = f"{path}.done"
        order = sorted(range(len(self)), key=lambda i: len(self.ids[i]))
        shape = (int(self.starts[-1]), WIDTH)
        if not os.path.exists(path):
            np.memmap(path, dtype=np.float16, mode="w+", shape=shape).flush()
            open(done_path, "w").write("0")
        self.rows = np.memmap(path, dtype=np.float16, mode="r+", shape=shape)
        done = int(open(done_path).read())
        size = 64
        for start in range(done, len(order), size):
            batch = order[start : start + size]
            ids, lengths = padded([self.ids[i] for i in batch])
            hidden = encoder.lower(ids, lengths).numpy().astype(np.float16)
            for row, i in enumerate(batch):
                self.rows[self.starts[i] : self.starts[i + 1]] = hidden[row, : len(self.ids[i])]
            if start // size % 50 == 0:
                self.rows.flush()
                open(done_path, "w").write(str(start))
                log(f"frozen layers: {start} of {len(order)} texts")
        self.rows.flush()
        open(done_path, "w").write(str(len(order)))

    def lower(self, numbers, most=None):
        """Padded outputs of the frozen layers and their lengths."""
        lengths = [min(len(self.ids[i]), most or 1 << 30) for i in numbers]
        hidden = torch.zeros(len(numbers), max(lengths), WIDTH)
        for row, (i, length) in enumerate(zip(numbers, lengths)):
            start = int(self.starts[i])
            hidden[row, :length] = torch.from_numpy(self.rows[start : start + length].astype(np.float32))
        return hidden, torch.tensor(lengths)

    def vectors(self, encoder, numbers, size=96):
        """Vectors of texts, whole, without training."""
        order = sorted(numbers, key=lambda i: len(self.ids[i]))
        out = {}
        with torch.no_grad():
            for start in range(0, len(order), size):
                batch = order[start : start + size]
                made = encoder.upper(*self.lower(batch))
                for i, vector in zip(batch, made):
                    out[i] = vector
        return torch.stack([out[i] for i in numbers])


def read_lines(folder, name):
    with open(os.path.join(folder, name)) as file:
        return [json.loads(line) for line in file]


def blocks_of(triples, size, rng):
    """Blocks of questions of one group, so that siblings meet in a batch. Groups in random order."""
    groups = {}
    for triple in triples:
        groups.setdefault(triple["group"], []).append(triple)
    blocks, singles = [], []
    for group in groups.values():
        rng.shuffle(group)
        for start in range(0, len(group), size):
            block = group[start : start + size]
            (blocks if len(block) > 1 else singles).append(block)
    # Single questions share blocks, so that every block has the same size.
    rng.shuffle(singles)
    flat = [triple for block in singles for triple in block]
    blocks += [flat[start : start + size] for start in range(0, len(flat), size)]
    rng.shuffle(blocks)
    return blocks


class Batches:
    """An endless order of batches that depends on the seed only, so that a resumed run continues it."""

    def __init__(self, triples, general, blocks=8, block=4, general_size=16, seed=1):
        self.triples, self.general = triples, general
        self.blocks, self.block, self.general_size, self.seed = blocks, block, general_size, seed

    def epoch(self, number):
        rng = random.Random(self.seed * 1000 + number)
        ordered = blocks_of(self.triples, self.block, rng)
        for start in range(0, len(ordered) - self.blocks + 1, self.blocks):
            triples = [triple for block in ordered[start : start + self.blocks] for triple in block]
            yield self.one(triples, rng)

    def one(self, triples, rng):
        """Questions, documents and which documents are wrong answers of which question."""
        documents, place = [], {}

        def add(number):
            if number not in place:
                place[number] = len(documents)
                documents.append(number)
            return place[number]

        right = [add(rng.choice(triple["right"])) for triple in triples]
        for triple in triples:
            wrong = list(triple["tempting"]) + rng.sample(triple.get("mined", []), min(1, len(triple.get("mined", []))))
            if not triple["tempting"] and triple["siblings"]:
                wrong.append(rng.choice(triple["siblings"]))
            for number in wrong:
                add(number)
        for card in {triple["card"] for triple in triples if triple["card"] >= 0}:
            add(card)
        allowed = torch.ones(len(triples), len(documents), dtype=torch.bool)
        for row, triple in enumerate(triples):
            for number in triple["right"]:
                if number in place and place[number] != right[row]:
                    allowed[row, place[number]] = False
        return {
            "questions": [triple["question"] for triple in triples],
            "documents": documents,
            "right": torch.tensor(right),
            "allowed": allowed,
            "general": rng.sample(self.general, min(self.general_size, len(self.general))),
        }
