// Where the rectangles of a treemap stand. After Bruls, Huizing and van Wijk: Squarified Treemaps (2000).

/**
 * Lay out weights in a rectangle.
 *
 * @param {number[]} weights - each above 0, the largest first
 * @param {{ x: number, y: number, width: number, height: number }} area
 * @returns {{ x: number, y: number, width: number, height: number }[]} one for each weight, in the same order
 */
export function squarified(weights, area) {
  const total = weights.reduce((sum, each) => sum + each, 0);
  const scale = total > 0 ? (area.width * area.height) / total : 0;
  const placed = [];
  let free = { ...area };
  let at = 0;
  while (at < weights.length) {
    const side = Math.min(free.width, free.height);
    let end = at + 1;
    let sum = weights[at] * scale;
    let worst = ratio(sum, weights[at] * scale, weights[at] * scale, side);
    while (end < weights.length) {
      const more = sum + weights[end] * scale;
      const next = ratio(more, weights[at] * scale, weights[end] * scale, side);
      if (next > worst) break;
      [sum, worst] = [more, next];
      end++;
    }
    free = placeRow(placed, weights.slice(at, end).map((each) => each * scale), sum, free);
    at = end;
  }
  return placed;
}

/** The worst ratio of sides in a row of areas. */
function ratio(sum, largest, smallest, side) {
  if (sum === 0 || smallest === 0) return Infinity;
  return Math.max((side * side * largest) / (sum * sum), (sum * sum) / (side * side * smallest));
}

function placeRow(placed, areas, sum, free) {
  const wide = free.width >= free.height;
  const side = wide ? free.height : free.width;
  const depth = side > 0 ? sum / side : 0;
  let offset = 0;
  for (const each of areas) {
    const length = depth > 0 ? each / depth : 0;
    placed.push(
      wide
        ? { x: free.x, y: free.y + offset, width: depth, height: length }
        : { x: free.x + offset, y: free.y, width: length, height: depth },
    );
    offset += length;
  }
  return wide
    ? { x: free.x + depth, y: free.y, width: Math.max(0, free.width - depth), height: free.height }
    : { x: free.x, y: free.y + depth, width: free.width, height: Math.max(0, free.height - depth) };
}
