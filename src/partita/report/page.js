"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");

  /* An element with children; text is always text, never HTML. */
  const make = (tag, kind, ...children) => {
    const made = document.createElement(tag);
    if (kind) made.className = kind;
    made.append(...children.filter((one) => one !== null));
    return made;
  };

  /* Colours of the charts, taken from the style sheet. */
  const theme = () => {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const [ink, soft, line] = ["--ink", "--soft", "--line"].map(colour);
    const axis = { labelColor: ink, titleColor: soft, gridColor: line, domainColor: line, tickColor: line };
    return {
      background: "transparent",
      font: getComputedStyle(document.body).fontFamily,
      view: { stroke: "transparent" },
      axis: { ...axis, labelFontSize: 12, titleFontSize: 12, titlePadding: 10, titleFontWeight: "normal" },
      legend: { labelColor: ink, titleColor: soft, labelFontSize: 12 },
      bar: { color: colour("--accent") },
      circle: { color: colour("--accent") },
      line: { color: colour("--accent") },
      range: { category: ["--accent", "--against", "--for", "--soft"].map(colour) },
    };
  };

  const drawCharts = async () => {
    for (const place of document.querySelectorAll("[data-chart]")) {
      const spec = data.charts[place.dataset.chart];
      const options = {
        renderer: "svg", actions: false, config: theme(), tooltip: { theme: dark.matches ? "dark" : "light" },
      };
      try {
        await vegaEmbed(place, spec, options);
      } catch (error) {
        console.error(error);
        place.textContent = "This chart could not be drawn.";
      }
    }
    document.body.dataset.drawn = "yes";
  };

  const signed = (bits) => {
    const shown = Math.abs(bits).toFixed(1);
    return shown === "0.0" ? shown : (bits < 0 ? "−" : "+") + shown;
  };

  /* The parts of a pair's weight, in the order in which they are added. */
  const partsOf = (pair) => {
    const parts = [{ name: "prior", note: "", bits: data.prior }];
    data.columns.forEach((name, q) => {
      const level = pair.levels[q];
      if (level < 0) {
        parts.push({ name, note: "missing", bits: 0 });
        return;
      }
      const rare = pair.term_frequency[q];
      const added = Math.abs(rare) < 0.05 ? "" : `; ${rare > 0 ? "rare" : "common"} value ${signed(rare)}`;
      parts.push({ name, note: data.levels[q][level] + added, bits: pair.weights[q] + rare });
    });
    if (pair.dependence) parts.push({ name: "dependence", note: "household, or columns that depend on each other", bits: pair.dependence });
    if (pair.reading) parts.push({ name: "reading", note: "adjustment by the reading of the file", bits: pair.reading });
    return parts;
  };

  /* Floating bars: each begins where the one before it ends. */
  const falls = (parts, last, note) => {
    let at = 0;
    const placed = parts.map((part) => ({ ...part, from: at, to: (at += part.bits) }));
    placed.push({ name: last, note, bits: at, from: 0, to: at, sum: true });
    const ends = placed.flatMap((part) => [part.from, part.to]);
    const low = Math.min(0, ...ends), wide = Math.max(0, ...ends) - low || 1;
    const share = (bits) => (100 * (bits - low)) / wide;
    const grid = make("div", "falls");
    for (const part of placed) {
      const bar = make("i", part.sum ? "sum" : part.bits < 0 ? "against" : "for");
      bar.style.left = `${share(Math.min(part.from, part.to))}%`;
      bar.style.width = `${(100 * Math.abs(part.bits)) / wide}%`;
      const track = make("div", "track", part.bits ? bar : null);
      track.style.setProperty("--zero", `${share(0)}%`);
      const small = part.note ? make("small", "", part.note) : null;
      grid.append(make("div", "label", make(part.sum ? "b" : "span", "", part.name), small), track, make("div", "", signed(part.bits)));
    }
    return grid;
  };

  /* The pair alone, and what the factors of whole entities say where that was worked out. */
  const waterfall = (pair, open) => {
    const share = `${(100 * pair.model).toFixed(1)}% by this pair alone`;
    const made = [falls(partsOf(pair), "sum", share)];
    if (pair.entity) {
      const parts = pair.entity.map(([name, bits]) => ({ name, note: "", bits }));
      const title = make("summary", "", `The whole entity: ${pair.question}`);
      const inner = make("details", "", title, falls(parts, "sum", ""));
      inner.open = open;
      made.push(inner);
    }
    (pair.notes || []).forEach((note) => made.push(make("p", "", note)));
    return made;
  };

  for (const place of document.querySelectorAll("[data-pair]")) {
    place.append(...waterfall(data.pairs[Number(place.dataset.pair)], false));
  }

  const places = new Map();
  data.records.forEach((record, k) => record.ids.forEach((id) => places.set(id, k)));
  const pairs = new Map(data.pairs.map((pair) => [`${pair.a},${pair.b}`, pair]));
  const form = document.getElementById("explain-form");

  /* Two records side by side; what is not equal is coloured. */
  const sideBySide = (one, two, ids) => {
    const cell = (value, other) => {
      const differs = value !== null && other !== null && value.toLowerCase() !== other.toLowerCase();
      const text = value === null ? make("span", "missing", "missing") : make("bdi", differs ? "differs" : "", value);
      return make("td", "", text);
    };
    const head = make("tr", "", make("th"), ...ids.map((id) => make("th", "", make("bdi", "", id))));
    const rows = data.names.map((name, k) =>
      make("tr", "", make("td", "", name), cell(one.values[k], two.values[k]), cell(two.values[k], one.values[k])));
    return make("div", "scroll", make("table", "two", make("thead", "", head), make("tbody", "", ...rows)));
  };

  const explained = (ids) => {
    const [a, b] = ids.map((id) => places.get(id));
    const unknown = ids.filter((id) => !places.has(id));
    if (unknown.length) return [make("p", "", `Record ${unknown.join(" and ")} is not on this page; try partita explain.`)];
    if (a === b) return [make("p", "", "The two records are identical in every used column, so they are one entity.")];
    const pair = pairs.get(`${Math.min(a, b)},${Math.max(a, b)}`);
    const [one, two] = [data.records[a], data.records[b]];
    const together = one.cluster === two.cluster ? "in one entity" : "in two entities";
    const chance = pair ? `P(one entity) ${(100 * pair.p).toFixed(1)}%; ${together}` : `${together}; the pair was not a candidate`;
    const panels = make("div", "panels wide", sideBySide(one, two, ids), pair ? make("div", "waterfall", ...waterfall(pair, true)) : null);
    return [make("h3", "", chance), panels];
  };

  const setUp = () => {
    const fields = ["explain-one", "explain-two"].map((id) => document.getElementById(id));
    const list = document.getElementById("ids");
    data.records.forEach((record) => record.ids.forEach((id) => {
      const option = make("option");
      option.value = id;
      option.label = `${id}: ${record.values.filter((value) => value !== null).slice(0, 3).join(", ")}`;
      list.append(option);
    }));
    const answer = () => {
      const ids = fields.map((field) => field.value.trim());
      const place = document.getElementById("explained");
      place.replaceChildren(...(ids.every((id) => id) ? explained(ids) : []));
      return ids;
    };
    const fromAddress = () => {
      const found = /^#explain=([^,]*),(.*)$/.exec(window.location.hash);
      if (found) found.slice(1).forEach((id, k) => { fields[k].value = decodeURIComponent(id); });
      answer();
      if (found) document.getElementById("why").scrollIntoView();
    };
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => {
      const ids = answer();
      if (ids.every((id) => places.has(id))) history.replaceState(null, "", `#explain=${ids.map(encodeURIComponent).join(",")}`);
    });
    window.addEventListener("hashchange", fromAddress);
    const first = data.pairs[0];
    [first.a, first.b].forEach((k, at) => { fields[at].value = data.records[k].ids[0]; });
    fromAddress();
  };

  /* Uncertain entities: one page at a time, filtered by a search for ids and values. */
  const percent = (p) => (p > 0 && p < 0.01 ? "<1%" : p > 0.99 && p < 1 ? ">99%" : `${Math.round(100 * p)}%`);
  const PAGE = 10;

  /* The part of a value between the beginning and the end that it shares with another value. */
  const marked = (value, usual) => {
    if (value === null) return make("span", "missing", "missing");
    const [own, other] = [value.toLowerCase(), (usual || value).toLowerCase()];
    const shorter = Math.min(own.length, other.length);
    let start = 0, end = 0;
    while (start < shorter && own[start] === other[start]) start += 1;
    while (end < shorter - start && own[own.length - 1 - end] === other[other.length - 1 - end]) end += 1;
    if (own === other) return make("bdi", "", value);
    if (start + end < 0.4 * value.length) return make("bdi", "", make("mark", "", value));
    const stop = value.length - end;
    return make("bdi", "", value.slice(0, start), make("mark", "", value.slice(start, stop)), value.slice(stop));
  };

  const commonest = (values) => {
    const counts = new Map();
    values.filter((value) => value !== null).forEach((value) => counts.set(value, (counts.get(value) || 0) + 1));
    return [...counts].reduce((best, entry) => (entry[1] > best[1] ? entry : best), [null, 0])[0];
  };

  const recordRow = (record, note, usual) => {
    const copies = record[1] ? make("small", "", `and ${record[1]} identical`) : null;
    const cells = record[3].map((value, k) => make("td", "", marked(value, usual[k])));
    return make("tr", "", make("td", "", make("bdi", "", record[0]), copies), make("td", "number", note), ...cells);
  };

  const entityCard = ([p, size, members, near]) => {
    const all = data.uncertain.records;
    const usual = data.names.map((_, k) => commonest(members.map((r) => all[r][3][k])));
    const head = ["id", "p_member", ...data.names].map((name) => make("th", "", name));
    const rows = members.map((r) => recordRow(all[r], percent(all[r][2]), usual));
    if (near.length) rows.push(make("tr", "near", Object.assign(make("td", "", "nearest records of other entities, with P(one entity)"), { colSpan: head.length })));
    near.forEach(([r, same]) => rows.push(recordRow(all[r], percent(same), usual)));
    const title = `${size === 1 ? "1 record" : `${size} different records`}, p_cluster ${percent(p)}`;
    const more = size > members.length ? make("p", "more", `and ${size - members.length} more certain records`) : null;
    const table = make("table", "records", make("thead", "", make("tr", "", ...head)), make("tbody", "", ...rows));
    return make("article", "doubt", make("h3", "", title), make("div", "scroll", table), more);
  };

  const browse = () => {
    const { entities, records } = data.uncertain;
    const [text, count, list] = ["browse-text", "browse-count", "browse-list"].map((id) => document.getElementById(id));
    const [back, next] = ["browse-back", "browse-next"].map((id) => document.getElementById(id));
    const words = entities.map(([, , members]) => members.map((r) => [records[r][0], ...records[r][3]].join(" ")).join(" ").toLowerCase());
    let page = 0, matches = entities;
    const draw = () => {
      const pages = Math.max(1, Math.ceil(matches.length / PAGE));
      page = Math.min(Math.max(page, 0), pages - 1);
      list.replaceChildren(...matches.slice(page * PAGE, (page + 1) * PAGE).map(entityCard));
      count.textContent = `${matches.length.toLocaleString("en")} of ${data.uncertain.total.toLocaleString("en")}, page ${page + 1} of ${pages}`;
      back.disabled = page === 0;
      next.disabled = page === pages - 1;
    };
    const turn = (step) => { page += step; draw(); document.getElementById("clusters").scrollIntoView(); };
    const search = () => {
      const terms = text.value.toLowerCase().split(/\s+/).filter((word) => word);
      matches = entities.filter((_, k) => terms.every((word) => words[k].includes(word)));
      page = 0;
      draw();
    };
    document.getElementById("browse").addEventListener("submit", (event) => event.preventDefault());
    text.addEventListener("input", search);
    back.addEventListener("click", () => turn(-1));
    next.addEventListener("click", () => turn(1));
    const query = /^#search=(.*)$/.exec(window.location.hash);
    if (query) text.value = decodeURIComponent(query[1]);
    search();
  };

  if (document.getElementById("browse")) browse();
  if (form) setUp();
  drawCharts();
  dark.addEventListener("change", drawCharts);
})();
