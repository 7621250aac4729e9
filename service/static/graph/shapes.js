// The outlines of nodes. Kinds differ in shape as well as in colour, so that neither has to be seen.

/** Paths around the middle: the outline, and for some shapes a line inside it. */
export function outline(shape, width, height) {
  const [w, h] = [width / 2, height / 2];
  switch (shape) {
    case "pill":
      return [rounded(w, h, h)];
    case "entry": // round where it begins
      return [
        `M${-w + h} ${-h}H${w - 6}Q${w} ${-h} ${w} ${-h + 6}V${h - 6}Q${w} ${h} ${w - 6} ${h}` +
          `H${-w + h}A${h} ${h} 0 0 1 ${-w + h} ${-h}Z`,
      ];
    case "target": // a second line, like a goal
      return [rounded(w, h, 8), rounded(w - 3.5, h - 3.5, 5)];
    case "stop": // cut corners, like a stop sign
      return [cut(w, h, Math.min(10, h * 0.55))];
    case "folder":
      return [rounded(w, h, 6), `M${-w + 7} ${-h - 3.5}H${w - 7}`];
    default:
      return [rounded(w, h, 8)];
  }
}

function rounded(w, h, r) {
  return (
    `M${-w + r} ${-h}H${w - r}Q${w} ${-h} ${w} ${-h + r}V${h - r}Q${w} ${h} ${w - r} ${h}` +
    `H${-w + r}Q${-w} ${h} ${-w} ${h - r}V${-h + r}Q${-w} ${-h} ${-w + r} ${-h}Z`
  );
}

function cut(w, h, c) {
  return (
    `M${-w + c} ${-h}H${w - c}L${w} ${-h + c}V${h - c}L${w - c} ${h}` +
    `H${-w + c}L${-w} ${h - c}V${-h + c}Z`
  );
}
