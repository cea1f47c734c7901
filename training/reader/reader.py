"""A model that reads a query and a tool together, from the weights of dowser-tools-1.

Its lower layers read each text by itself, as the embedding model does, so their output is computed once for each text. Its upper layers
read both. It starts as the embedding model: texts see little of each other at first, and the first answer is their cosine.
"""

import json
import os

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn
from torch.nn import functional as F

from encoder import EPS, FROZEN, HEADS, WIDTH, mask_of, padded  # noqa: F401

# As in src/embedders/onnx/pair-encoder.ts.
QUERY_TOKENS, TOOL_TOKENS, SERVER_TOKENS = 40, 40, 16
END = 102  # [SEP]
SCALE = 20.0  # of a cosine, so that it is about a log-odds
FAR = -2.0  # at first, texts see this much less of each other


def shipped_weights(stock, graph_path):
    """The weights of the quantized graph, by their names in the stock model."""
    array = {tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(graph_path).graph.initializer}
    weights = dict(stock)
    for name, values in array.items():
        if name.startswith("onnx::MatMul") and name.endswith("_quantized"):
            real = values.astype(np.float32) * array[name[: -len("_quantized")] + "_scale"]
            close = [
                (float(np.abs(weight.numpy().T - real).mean()), own)
                for own, weight in stock.items()
                if weight.ndim == 2 and own.startswith("encoder.") and weight.numpy().T.shape == real.shape
            ]
            weights[min(close)[1]] = torch.from_numpy(np.ascontiguousarray(real.T))
        elif name in stock and name.startswith("encoder.") and values.dtype == np.float32:
            weights[name] = torch.from_numpy(values.copy())
    return weights


class Texts:
    """The output of the lower layers for every question and tool, in a file."""

    def __init__(self, folder, encoder, log):
        with open(os.path.join(folder, "texts.jsonl")) as file:
            rows = [json.loads(line) for line in file]
        server = {row["key"]: row["ids"] for row in rows if row["kind"] == "server"}
        self.at, ids = {}, []
        for row in rows:
            kind, key = row["kind"], row["key"]
            if kind == "server":
                continue
            own = cut(row["ids"], QUERY_TOKENS if kind == "question" else TOOL_TOKENS)
            path = key.split("#")[0]
            if kind == "tool" and path != key and path in server:
                own = own + server[path][1:-1][:SERVER_TOKENS] + [END]
            self.at[(kind, key)] = len(ids)
            ids.append(own)
        self.ids = ids
        self.starts = np.concatenate([[0], np.cumsum([len(own) for own in ids])])
        path = os.path.join(folder, "lower.npy")
        if not os.path.exists(path):
            np.save(f"{path}.new.npy", self.lower(encoder, log))
            os.replace(f"{path}.new.npy", path)
        self.rows = np.load(path, mmap_mode="r")

    def lower(self, encoder, log, size=128):
        rows = np.zeros((int(self.starts[-1]), WIDTH), np.float16)
        order = sorted(range(len(self.ids)), key=lambda i: len(self.ids[i]))
        for start in range(0, len(order), size):
            batch = order[start : start + size]
            with torch.autocast("cpu", dtype=torch.bfloat16):
                hidden = encoder.lower(*padded([self.ids[i] for i in batch])).float().numpy()
            for row, i in enumerate(batch):
                rows[self.starts[i] : self.starts[i + 1]] = hidden[row, : len(self.ids[i])]
        log(f"lower layers of {len(order)} texts")
        return rows

    def get(self, kind, key):
        i = self.at[(kind, key)]
        return self.rows[self.starts[i] : self.starts[i + 1]]

    def has(self, key):
        return ("tool", key) in self.at

    def length(self, pair):
        return len(self.get("question", pair[0])) + len(self.get("tool", pair[1]))

    def batch(self, pairs):
        """Hidden states, which of the two texts each token is of, and which tokens there are."""
        rows = [(self.get("question", question), self.get("tool", key)) for question, key in pairs]
        longest = max(len(a) + len(b) for a, b in rows)
        hidden = np.zeros((len(rows), longest, WIDTH), np.float32)
        segment, keep = np.zeros((len(rows), longest), np.float32), np.zeros((len(rows), longest), bool)
        for i, (a, b) in enumerate(rows):
            hidden[i, : len(a)] = a
            hidden[i, len(a) : len(a) + len(b)] = b
            segment[i, len(a) :] = 1
            keep[i, : len(a) + len(b)] = True
        return torch.from_numpy(hidden), torch.from_numpy(segment), torch.from_numpy(keep)


def cut(ids, most):
    return ids if len(ids) <= most else ids[: most - 1] + [END]


class Reader(nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.layers = nn.ModuleList(list(encoder.layers)[FROZEN:])
        self.cross = nn.Parameter(torch.full((len(self.layers), HEADS), FAR))
        self.w = nn.Parameter(torch.ones(WIDTH))
        self.v = nn.Linear(2 * WIDTH, 1)
        nn.init.zeros_(self.v.weight)
        nn.init.zeros_(self.v.bias)

    def forward(self, hidden, segment, keep):
        padding = torch.where(keep, 0.0, -1e4)[:, None, None, :]
        other = (segment[:, :, None] != segment[:, None, :])[:, None].float()
        for i, layer in enumerate(self.layers):
            hidden = attend(layer, hidden, padding + other * self.cross[i][None, :, None, None])
        hidden, present = hidden.float(), keep.float()
        question, tool = ((present * part)[:, :, None] for part in (1 - segment, segment))
        q = (hidden * question).sum(1) / question.sum(1)
        t = (hidden * tool).sum(1) / tool.sum(1)
        cosine = (F.normalize(q, dim=-1) * F.normalize(t, dim=-1) * self.w).sum(-1)
        return SCALE * cosine + self.v(torch.cat([q * t, (q - t).abs()], -1))[:, 0]


def attend(layer, hidden, mask):
    size, tokens, _ = hidden.shape

    def heads(x):
        return x.view(size, tokens, HEADS, WIDTH // HEADS).transpose(1, 2)

    scores = heads(layer.query(hidden)) @ heads(layer.key(hidden)).transpose(-1, -2) / (WIDTH // HEADS) ** 0.5
    weights = (scores.float() + mask).softmax(-1)
    value = heads(layer.value(hidden))
    context = (weights.to(value.dtype) @ value).transpose(1, 2).reshape(size, tokens, WIDTH)
    hidden = layer.attended_norm(hidden + layer.attended(context))
    return layer.outer_norm(hidden + layer.outer(F.gelu(layer.inner(hidden))))


def read(reader, texts, pairs, size=128):
    """Log-odds by pair."""
    pairs, found = sorted(set(pairs), key=texts.length), {}
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        for start in range(0, len(pairs), size):
            batch = pairs[start : start + size]
            found.update(zip(batch, reader(*texts.batch(batch)).float().tolist()))
    return found
