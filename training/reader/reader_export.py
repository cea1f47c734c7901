"""Writes the reader into the quantized graph of dowser-tools-1: other upper layers, masks for two texts, and one number at the end."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from encoder import FROZEN, HEADS, LAYERS, WIDTH, Layer
from reader import SCALE

# All eight bits: with seven, the numbers are off by 1.2 in the mean, with eight by 0.4.
LEVELS = 127


def quantized(weight):
    """Integers and a scale for each column."""
    scale = np.abs(weight).max(0) / LEVELS
    scale[scale == 0] = 1
    return np.clip(np.round(weight / scale), -LEVELS, LEVELS).astype(np.int8), scale.astype(np.float32)


def export(reader, graph_path, out_path):
    model = onnx.load(graph_path)
    graph = model.graph
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    array = {name: numpy_helper.to_array(tensor) for name, tensor in tensors.items()}
    state = {name: value.float().numpy() for name, value in reader.state_dict().items()}
    integers = {node.output[0]: node.input[1] for node in graph.node if node.op_type == "MatMulInteger"}

    def put(name, value):
        assert array[name].shape == value.shape and array[name].dtype == value.dtype, name
        tensors[name].CopyFrom(numpy_helper.from_array(value, name))

    for layer in range(FROZEN, LAYERS):
        for own, path in Layer.NAMES.items():
            base = f"encoder.layer.{layer}.{path}"
            weight = state[f"layers.{layer - FROZEN}.{own}.weight"]
            put(f"{base}.bias", state[f"layers.{layer - FROZEN}.{own}.bias"])
            if own.endswith("norm"):
                put(f"{base}.weight", weight)
                continue
            where = f"/encoder/layer.{layer}/{path.replace('.', '/')}/MatMul"
            (name,) = (weights for output, weights in integers.items() if output.startswith(where))
            values, scale = quantized(weight.T)
            put(name, values)
            put(f"{name[: -len('_quantized')]}_scale", scale)

    def constant(name, value):
        graph.initializer.append(numpy_helper.from_array(np.asarray(value, np.float32), name))
        return name

    def node(kind, inputs, output, **options):
        added.append(helper.make_node(kind, inputs, [output], **options))

    # Inputs: tokens, their positions in their own text, and which text they are of.
    added = []
    del graph.input[:]
    for name in ("input_ids", "position_ids", "segment_ids"):
        graph.input.append(helper.make_tensor_value_info(name, TensorProto.INT64, ["one", "tokens"]))
    node("Sub", ["input_ids", "input_ids"], "zero_ids")
    node("Cast", ["segment_ids"], "segment", to=TensorProto.FLOAT)
    node("Unsqueeze", ["segment"], "segment_row", axes=[1])
    node("Unsqueeze", ["segment"], "in_tool", axes=[2])
    node("Sub", ["segment_row", "in_tool"], "difference")
    node("Abs", ["difference"], "differs")
    node("Unsqueeze", ["differs"], "other", axes=[1])
    node("Mul", ["other", constant("apart", -1e4)], "mask_apart")
    for layer in range(FROZEN, LAYERS):
        cross = constant(f"cross_{layer}", state["cross"][layer - FROZEN].reshape(1, HEADS, 1, 1))
        node("Mul", ["other", cross], f"mask_{layer}")
    kept = []
    for own in graph.node:
        if own.output[0] == "/embeddings/Slice_output_0":
            continue
        for at, name in enumerate(own.input):
            if name == "/embeddings/Slice_output_0":
                own.input[at] = "position_ids"
            elif name == "token_type_ids":
                own.input[at] = "zero_ids"
        if own.op_type == "Add" and own.input[1] == "/Mul_output_0":
            layer = int(own.output[0].split("layer.")[1].split("/")[0])
            own.input[1] = "mask_apart" if layer < FROZEN else f"mask_{layer}"
        kept.append(own)

    # The end: both means, their cosine, and what differs.
    node("Sub", [constant("one", 1), "in_tool"], "in_query")
    for text in ("query", "tool"):
        node("Mul", ["last_hidden_state", f"in_{text}"], f"tokens_{text}")
        node("ReduceSum", [f"tokens_{text}"], f"sum_{text}", axes=[1], keepdims=0)
        node("ReduceSum", [f"in_{text}"], f"count_{text}", axes=[1], keepdims=0)
        node("Div", [f"sum_{text}", f"count_{text}"], f"mean_{text}")
        node("ReduceL2", [f"mean_{text}"], f"length_{text}", axes=[1], keepdims=1)
        node("Div", [f"mean_{text}", f"length_{text}"], f"unit_{text}")
    node("Mul", ["unit_query", "unit_tool"], "alike")
    node("MatMul", ["alike", constant("head_cosine", state["w"].reshape(WIDTH, 1) * SCALE)], "by_cosine")
    node("Mul", ["mean_query", "mean_tool"], "product")
    node("Sub", ["mean_query", "mean_tool"], "apart_by")
    node("Abs", ["apart_by"], "distance")
    node("Concat", ["product", "distance"], "features", axis=1)
    node("MatMul", ["features", constant("head_features", state["v.weight"].T.copy())], "by_features")
    node("Add", ["by_cosine", "by_features"], "both")
    node("Add", ["both", constant("head_bias", state["v.bias"])], "logits")
    del graph.output[:]
    graph.output.append(helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["one", 1]))
    nodes = live(added + kept, "logits")
    used = {name for own in nodes for name in own.input}
    left = [tensor for tensor in graph.initializer if tensor.name in used]
    for field, values in ((graph.node, in_order(nodes, left, graph.input)), (graph.initializer, left)):
        del field[:]
        field.extend(values)
    del graph.value_info[:]
    onnx.save(model, out_path)


def live(nodes, output):
    """Without the nodes that nothing uses."""
    while True:
        used = {name for node in nodes for name in node.input} | {output}
        left = [node for node in nodes if any(name in used for name in node.output)]
        if len(left) == len(nodes):
            return nodes
        nodes = left


def in_order(nodes, *known):
    """Each node after those that it reads."""
    made, ordered = {value.name for values in known for value in values}, []
    while nodes:
        ready = [node for node in nodes if all(name in made or name == "" for name in node.input)]
        assert ready, f"a circle of {len(nodes)} nodes"
        ordered += ready
        made.update(name for node in ready for name in node.output)
        nodes = [node for node in nodes if not any(node is other for other in ready)]
    return ordered
