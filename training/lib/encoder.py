"""The sentence encoder (BERT, six layers, mean pooling), from a safetensors file, in plain PyTorch.

The embeddings and the first layers stay frozen, so `lower` can be computed once for each text and kept. Only `upper` trains.
"""

import json
import struct

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

LAYERS = 6
HEADS = 12
WIDTH = 384
FROZEN = 3  # layers 0 to 2
EPS = 1e-12


def read_safetensors(path):
    """Tensors by name, as float32."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    kinds = {"F16": np.float16, "F32": np.float32}
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] not in kinds:
            continue
        start, end = entry["data_offsets"]
        array = np.frombuffer(data[start:end], dtype=kinds[entry["dtype"]]).reshape(entry["shape"])
        tensors[name] = torch.from_numpy(array.astype(np.float32))
    return tensors


class Layer(nn.Module):
    def __init__(self, weights, prefix):
        super().__init__()

        def linear(name):
            weight = weights[f"{prefix}.{name}.weight"]
            made = nn.Linear(weight.shape[1], weight.shape[0])
            made.weight.data = weight.clone()
            made.bias.data = weights[f"{prefix}.{name}.bias"].clone()
            return made

        def norm(name):
            made = nn.LayerNorm(WIDTH, eps=EPS)
            made.weight.data = weights[f"{prefix}.{name}.weight"].clone()
            made.bias.data = weights[f"{prefix}.{name}.bias"].clone()
            return made

        self.query = linear("attention.self.query")
        self.key = linear("attention.self.key")
        self.value = linear("attention.self.value")
        self.attended = linear("attention.output.dense")
        self.attended_norm = norm("attention.output.LayerNorm")
        self.inner = linear("intermediate.dense")
        self.outer = linear("output.dense")
        self.outer_norm = norm("output.LayerNorm")

    def forward(self, hidden, mask):
        size, tokens, _ = hidden.shape

        def heads(x):
            return x.view(size, tokens, HEADS, WIDTH // HEADS).transpose(1, 2)

        scores = heads(self.query(hidden)) @ heads(self.key(hidden)).transpose(-1, -2) / (WIDTH // HEADS) ** 0.5
        scores = scores.float() + mask[:, None, None, :]
        context = (scores.softmax(-1).to(hidden.dtype) @ heads(self.value(hidden))).transpose(1, 2).reshape(size, tokens, WIDTH)
        hidden = self.attended_norm(hidden + self.attended(context))
        return self.outer_norm(hidden + self.outer(F.gelu(self.inner(hidden))))

    # The names that the weights have in the file, for averaging and export.
    NAMES = {
        "query": "attention.self.query",
        "key": "attention.self.key",
        "value": "attention.self.value",
        "attended": "attention.output.dense",
        "attended_norm": "attention.output.LayerNorm",
        "inner": "intermediate.dense",
        "outer": "output.dense",
        "outer_norm": "output.LayerNorm",
    }


class Encoder(nn.Module):
    def __init__(self, weights):
        super().__init__()
        self.stock = weights
        self.layers = nn.ModuleList(Layer(weights, f"encoder.layer.{i}") for i in range(LAYERS))
        for layer in self.layers[:FROZEN]:
            layer.requires_grad_(False)

    def embed_tokens(self, ids):
        w = self.stock
        hidden = w["embeddings.word_embeddings.weight"][ids]
        hidden = hidden + w["embeddings.position_embeddings.weight"][: ids.shape[1]]
        hidden = hidden + w["embeddings.token_type_embeddings.weight"][0]
        return F.layer_norm(
            hidden, (WIDTH,), w["embeddings.LayerNorm.weight"], w["embeddings.LayerNorm.bias"], EPS
        )

    def lower(self, ids, lengths):
        """The output of the frozen layers."""
        with torch.no_grad():
            hidden, mask = self.embed_tokens(ids), mask_of(lengths, ids.shape[1])
            for layer in self.layers[:FROZEN]:
                hidden = layer(hidden, mask)
        return hidden

    def upper(self, hidden, lengths):
        """Vectors of length 1, from the output of the frozen layers."""
        mask = mask_of(lengths, hidden.shape[1])
        for layer in self.layers[FROZEN:]:
            hidden = layer(hidden, mask)
        keep = (mask == 0).float()[:, :, None]
        return F.normalize((hidden.float() * keep).sum(1) / keep.sum(1), dim=-1)

    def forward(self, ids, lengths):
        return self.upper(self.lower(ids, lengths), lengths)

    def tensors(self):
        """All weights by their names in the file."""
        result = dict(self.stock)
        for i, layer in enumerate(self.layers):
            for own, name in Layer.NAMES.items():
                module = getattr(layer, own)
                result[f"encoder.layer.{i}.{name}.weight"] = module.weight.detach().clone()
                result[f"encoder.layer.{i}.{name}.bias"] = module.bias.detach().clone()
        return result


def mask_of(lengths, width):
    places = torch.arange(width)[None, :]
    return torch.where(places < lengths[:, None], 0.0, -1e9)


def padded(rows):
    """Token ids of several texts as one tensor, and their lengths."""
    lengths = torch.tensor([len(row) for row in rows])
    ids = torch.zeros(len(rows), int(lengths.max()), dtype=torch.long)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = torch.as_tensor(row)
    return ids, lengths


def average(stock, tuned, share):
    """`share` of the tuned weights, the rest of the stock weights."""
    return {name: (1 - share) * stock[name] + share * tuned[name] for name in stock}
