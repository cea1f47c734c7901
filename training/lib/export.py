"""Writes the weights into the quantized graph that the product loads: same size, same speed, other numbers."""

import numpy as np
import onnx
from onnx import numpy_helper

LEVELS = 64  # the graph's own range: seven bits and a sign, so that no processor overflows in 16 bits


def quantized(weight):
    """Integers and a scale for each column. Columns of zeros keep a scale of 1."""
    scale = np.abs(weight).max(0) / LEVELS
    scale[scale == 0] = 1
    return np.clip(np.round(weight / scale), -LEVELS, LEVELS).astype(np.int8), scale.astype(np.float32)


def export(stock, tuned, graph_path, out_path):
    """`stock` tells which integers of the graph belong to which weight. Throws if one cannot be told."""
    model = onnx.load(graph_path)
    by_name = {tensor.name: tensor for tensor in model.graph.initializer}
    array = {name: numpy_helper.to_array(tensor) for name, tensor in by_name.items()}

    def put(name, value):
        assert array[name].shape == value.shape and array[name].dtype == value.dtype, name
        by_name[name].CopyFrom(numpy_helper.from_array(value, name))

    placed = set()
    for name in array:
        if not (name.startswith("onnx::MatMul") and name.endswith("_quantized")):
            continue
        base = name[: -len("_quantized")]
        assert not array[f"{base}_zero_point"].any(), f"{base} is not symmetric"
        values = array[name].astype(np.float32) * array[f"{base}_scale"]
        close = [
            (float(np.abs(weight.numpy().T - values).mean()), own)
            for own, weight in stock.items()
            if weight.ndim == 2 and own.startswith("encoder.") and weight.numpy().T.shape == values.shape
        ]
        distance, own = min(close)
        assert distance < 0.005 and own not in placed, f"{name} is no weight of the stock model"
        placed.add(own)
        integers, scale = quantized(tuned[own].numpy().T)
        put(name, integers)
        put(f"{base}_scale", scale)
    for name in array:
        if name in tuned and name.startswith("encoder.") and array[name].dtype == np.float32:
            put(name, tuned[name].numpy())
            placed.add(name)
    left = [name for name in tuned if name.startswith("encoder.") and name not in placed]
    assert not left, f"not in the graph: {left}"
    onnx.save(model, out_path)
