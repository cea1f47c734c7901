"""How often the right tool is first by vectors alone: a quick look, before the product itself is measured."""

import torch


def measure(encoder, texts, units, triples):
    """`first`: the right tool is first of all tools of these servers. `sibling`: of its own server's tools. `entity`: the right
    server has the first unit."""
    numbers = sorted({unit["text"] for unit in units})
    row = {number: i for i, number in enumerate(numbers)}
    vectors = texts.vectors(encoder, numbers)
    owners = {}
    for unit in units:
        owners.setdefault(unit["text"], set()).add(unit["server"])
    tools = torch.zeros(len(numbers), dtype=torch.bool)
    for unit in units:
        if unit["kind"] == "tool":
            tools[row[unit["text"]]] = True
    questions = texts.vectors(encoder, [triple["question"] for triple in triples])
    cosines = questions @ vectors.T
    first = sibling = entity = 0
    by_style = {}
    for scores, triple in zip(cosines, triples):
        right = {row[number] for number in triple["right"]}
        only_tools = scores.masked_fill(~tools, -2)
        hit = int(only_tools.argmax()) in right
        own = [row[number] for number in triple["right"] + triple["siblings"]]
        first += hit
        sibling += own[int(scores[own].argmax())] in right
        entity += triple["group"] in owners[numbers[int(scores.argmax())]]
        style = by_style.setdefault(triple["style"], [0, 0])
        style[0] += hit
        style[1] += 1
    count = len(triples)
    return {
        "questions": count,
        "first": round(first / count, 4),
        "sibling": round(sibling / count, 4),
        "entity": round(entity / count, 4),
        "by_style": {style: round(hits / of, 3) for style, (hits, of) in sorted(by_style.items())},
    }
