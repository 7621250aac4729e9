// Where the nodes of a graph go: layers from left to right, few crossings, short edges.
//
// Sugiyama's steps in their simplest form, as in spm's pictures: break cycles, longest-path layers,
// barycentre order, then heights that follow the neighbours as far as the order allows.

const SWEEPS = 12;
const ROW_GAP = 16;
const LANE = 8; // a long edge passes between the nodes of a column through a gap of this height
const LANE_GAP = 4;

/**
 * Place nodes.
 *
 * @param {{width: number, height: number, layer?: number}[]} nodes a layer that is given is kept
 * @param {[number, number][]} edges pairs of places in `nodes`
 * @returns {{centres: [number, number][], routes: [number, number][][], width: number,
 *   height: number}} every route begins at the right of its first node and ends at the left of
 *   its second; its points are joined by lines and curves in turn
 */
export function arrange(nodes, edges, { gap = 48, margin = 16 } = {}) {
  const forward = withoutCycles(nodes.length, edges);
  const layers = nodes.some((node) => node.layer !== undefined)
    ? nodes.map((node) => node.layer)
    : longest(nodes.length, forward);
  const sizes = nodes.map((node) => node.height);
  const chains = forward.map(([a, b]) => (layers[a] < layers[b] ? chain(a, b, layers, sizes) : []));
  const links = chains.flatMap((steps) => steps.slice(1).map((step, i) => [steps[i], step]));
  const columns = ordered(layers, links);
  const ys = heights(columns, sizes, links);
  const { xs, widths } = across(columns, nodes, gap, margin);
  const top = Math.min(...sizes.map((size, i) => ys[i] - size / 2), Infinity) - margin;
  const bottom = Math.max(...sizes.map((size, i) => ys[i] + size / 2), -Infinity) + margin;
  const at = (i) => ys[i] - top;
  const routes = chains.map((steps, i) => {
    const points = route(steps, nodes, layers, xs, widths, at);
    return edges[i][0] === forward[i][0] ? points : points.reverse();
  });
  return {
    centres: nodes.map((_, i) => [xs[layers[i]] + widths[layers[i]] / 2, at(i)]),
    routes,
    width: xs.length ? xs.at(-1) + widths.at(-1) + margin : 2 * margin,
    height: nodes.length ? bottom - top : 2 * margin,
  };
}

function withoutCycles(count, edges) {
  const after = lists(count);
  edges.forEach(([a, b]) => after[a].push(b));
  const state = new Array(count).fill(0); // 0 not seen, 1 on the way, 2 done
  const back = new Set();
  for (let start = 0; start < count; start += 1) {
    if (state[start]) continue;
    const stack = [[start, 0]];
    state[start] = 1;
    while (stack.length) {
      const top = stack.at(-1);
      const next = after[top[0]][top[1]];
      top[1] += 1;
      if (next === undefined) {
        state[top[0]] = 2;
        stack.pop();
      } else if (state[next] === 1) back.add(`${top[0]} ${next}`);
      else if (!state[next]) {
        state[next] = 1;
        stack.push([next, 0]);
      }
    }
  }
  return edges.map(([a, b]) => (back.has(`${a} ${b}`) ? [b, a] : [a, b]));
}

function longest(count, edges) {
  const waits = new Array(count).fill(0);
  const after = lists(count);
  for (const [a, b] of edges) {
    if (a === b) continue;
    after[a].push(b);
    waits[b] += 1;
  }
  const begins = waits.map((wait) => !wait);
  const ready = [...begins.keys()].filter((i) => begins[i]);
  const layers = new Array(count).fill(0);
  for (const node of ready) {
    // grows while it is walked
    for (const next of after[node]) {
      layers[next] = Math.max(layers[next], layers[node] + 1);
      waits[next] -= 1;
      if (!waits[next]) ready.push(next);
    }
  }
  // What begins stands next to what it leads to.
  begins.forEach((first, i) => {
    if (first && after[i].length) layers[i] = Math.min(...after[i].map((j) => layers[j])) - 1;
  });
  return layers;
}

/** The edge as steps from layer to layer; new lanes are added to the nodes. */
function chain(a, b, layers, sizes) {
  const steps = [a];
  for (let layer = layers[a] + 1; layer < layers[b]; layer += 1) {
    steps.push(layers.length);
    layers.push(layer);
    sizes.push(LANE);
  }
  return [...steps, b];
}

/** Sort each column by the mean position of its neighbours, to and fro; keep the best. */
function ordered(layers, links) {
  const columns = lists(Math.max(-1, ...layers) + 1);
  layers.forEach((layer, node) => columns[layer].push(node));
  const { before, after } = neighbours(layers.length, links);
  const place = new Map();
  const number = (column) => column.forEach((node, i) => place.set(node, i));
  columns.forEach(number);
  let best = columns.map((column) => [...column]);
  let fewest = crossings(links, layers, place);
  for (let sweep = 0; sweep < SWEEPS && fewest; sweep += 1) {
    const around = sweep % 2 ? after : before;
    for (const column of sweep % 2 ? [...columns].reverse() : columns) {
      const mean = new Map(column.map((node) => [node, average(around[node], place, node)]));
      column.sort((a, b) => mean.get(a) - mean.get(b));
      number(column);
    }
    const count = crossings(links, layers, place);
    if (count < fewest) [best, fewest] = [columns.map((column) => [...column]), count];
  }
  return best;
}

function average(around, place, node) {
  if (!around.length) return place.get(node);
  return around.reduce((sum, other) => sum + place.get(other), 0) / around.length;
}

function crossings(links, layers, place) {
  const between = new Map();
  for (const [a, b] of links) {
    const pairs = between.get(layers[a]) || [];
    pairs.push([place.get(a), place.get(b)]);
    between.set(layers[a], pairs);
  }
  let count = 0;
  for (const pairs of between.values()) {
    for (let i = 0; i < pairs.length; i += 1) {
      for (let j = 0; j < i; j += 1) {
        if ((pairs[i][0] - pairs[j][0]) * (pairs[i][1] - pairs[j][1]) < 0) count += 1;
      }
    }
  }
  return count;
}

function heights(columns, sizes, links) {
  const { before, after } = neighbours(sizes.length, links);
  const ys = new Array(sizes.length).fill(0);
  const settle = (column, wanted) =>
    stacked(column, wanted, sizes).forEach((y, i) => {
      ys[column[i]] = y;
    });
  columns.forEach((column) =>
    settle(
      column,
      column.map(() => 0),
    ),
  );
  for (let sweep = 0; sweep < 2 * SWEEPS; sweep += 1) {
    for (const column of sweep % 2 ? [...columns].reverse() : columns) {
      const wanted = column.map((node) => {
        const around = [...before[node], ...after[node]];
        return around.length ? around.reduce((sum, m) => sum + ys[m], 0) / around.length : ys[node];
      });
      settle(column, wanted);
    }
  }
  return ys;
}

/** The positions nearest to the wanted ones that keep order and distance, by pooling neighbours. */
function stacked(column, wanted, sizes) {
  const offsets = [0];
  for (let i = 1; i < column.length; i += 1) {
    const [above, below] = [sizes[column[i - 1]], sizes[column[i]]];
    const gap = above === LANE && below === LANE ? LANE_GAP : ROW_GAP;
    offsets.push(offsets[i - 1] + (above + below) / 2 + gap);
  }
  const pools = [];
  wanted.forEach((want, i) => {
    let [mean, size] = [want - offsets[i], 1];
    while (pools.length && pools.at(-1)[0] > mean) {
      const [other, many] = pools.pop();
      mean = (mean * size + other * many) / (size + many);
      size += many;
    }
    pools.push([mean, size]);
  });
  const means = pools.flatMap(([mean, size]) => new Array(size).fill(mean));
  return means.map((mean, i) => mean + offsets[i]);
}

function across(columns, nodes, gap, margin) {
  const widths = columns.map((column) =>
    Math.max(LANE, ...column.filter((i) => i < nodes.length).map((i) => nodes[i].width)),
  );
  let x = margin;
  const xs = widths.map((width) => {
    const left = x;
    x += width + gap;
    return left;
  });
  return { xs, widths };
}

/** From the first node to the edge of its column, through the lanes, and in to the last. */
function route(steps, nodes, layers, xs, widths, at) {
  const points = [];
  steps.forEach((node, position) => {
    const left = xs[layers[node]];
    const right = left + widths[layers[node]];
    const inset = node < nodes.length ? (right - left - nodes[node].width) / 2 : 0;
    const y = at(node);
    if (position) {
      points.push([left, y]);
      if (position === steps.length - 1) points.push([left + inset, y]);
    }
    if (position < steps.length - 1) {
      if (!position) points.push([right - inset, y]);
      points.push([right, y]);
    }
  });
  return points;
}

function neighbours(count, links) {
  const before = lists(count);
  const after = lists(count);
  for (const [a, b] of links) {
    before[b].push(a);
    after[a].push(b);
  }
  return { before, after };
}

function lists(count) {
  return Array.from({ length: Math.max(0, count) }, () => []);
}
