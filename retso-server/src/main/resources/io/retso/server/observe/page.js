"use strict";
// Shows what the server tells each second. All of it goes into the page as text: a name of a host
// that looks like markup stays a name.
(() => {
  const POINTS = 300; // of a chart, one a second
  const HEIGHT = 180; // of a chart, pixels
  const SILENCE_MS = 5000; // without an event the connection is given up
  const RETRY_MS = 2000;

  const byId = (id) => document.getElementById(id);
  const at = (all, path) => path.split(".").reduce((part, key) => part?.[key], all);
  const clock = (date) => date.toLocaleTimeString("en-GB");

  function digits(most) {
    const format = new Intl.NumberFormat("en", {
      minimumFractionDigits: most,
      maximumFractionDigits: most,
    });
    return (value) => format.format(value);
  }

  const AS = {
    count: digits(0),
    rate: digits(1),
    millis: digits(3),
    megabytes: (bytes) => AS.count(bytes / 1e6),
    plain: String,
    time: (seconds) => {
      const s = Math.floor(seconds);
      const two = (n) => String(n % 60).padStart(2, "0");
      return `${Math.floor(s / 3600)}:${two(Math.floor(s / 60))}:${two(s)}`;
    },
  };

  // Parts of texts: a string, or a member by its address, and the address of its page.

  function node(part) {
    if (!/^([\w.-]+|\[[0-9A-Fa-f:.]+\]):\d{1,5}$/.test(part.http ?? "")) {
      return document.createTextNode(part.text ?? part);
    }
    const link = document.createElement("a");
    link.textContent = part.text;
    link.href = `${location.protocol}//${part.http}/`;
    return link;
  }

  const shown = {};

  // What is as it was is left alone: links keep the focus, and nothing is read out again.
  function isShown(id, what) {
    const said = JSON.stringify(what);
    const same = shown[id] === said;
    shown[id] = said;
    return same;
  }

  function say(id, parts, kind) {
    if (!isShown(id, [parts, kind])) {
      byId(id).className = kind;
      byId(id).replaceChildren(...parts.map(node));
    }
  }

  function rows(id, lines) {
    if (isShown(id, lines)) {
      return;
    }
    byId(id).tBodies[0].replaceChildren(
      ...lines.map((cells) => {
        const row = document.createElement("tr");
        for (const cell of cells) {
          const place = row.insertCell();
          if (typeof cell === "number") {
            place.className = "number";
            place.textContent = AS.count(cell);
          } else {
            place.append(node(cell));
          }
        }
        return row;
      }),
    );
  }

  // Charts.

  const aborts = (rates) =>
    Object.keys(rates)
      .filter((name) => name.startsWith("aborts"))
      .reduce((sum, name) => sum + rates[name], 0);

  const charts = [
    {
      id: "rates-chart",
      lines: {
        begins: (s) => s.perSecond.begins,
        commits: (s) => s.perSecond.commits,
        aborts: (s) => aborts(s.perSecond),
      },
    },
    {
      id: "latencies-chart",
      lines: {
        "decision p50": (s) => s.decisionMillis.p50,
        "append p99": (s) => s.logAppendMillis.p99,
        "decision p99": (s) => s.decisionMillis.p99,
      },
    },
  ];

  function draw() {
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(`--${name}`).trim();
    const colors = ["first", "second", "third"].map(color);
    const axis = {
      stroke: color("quiet"),
      grid: {stroke: color("line"), width: 1},
      ticks: {stroke: color("line"), width: 1},
    };
    for (const chart of charts) {
      const names = Object.keys(chart.lines);
      chart.data ??= [[], ...names.map(() => [])];
      chart.plot?.destroy();
      chart.plot = new uPlot(
        {
          width: byId(chart.id).clientWidth,
          height: HEIGHT,
          cursor: {drag: {x: false, y: false}},
          scales: {y: {range: (_, least, most) => [0, most > 0 ? most * 1.1 : 1]}},
          axes: [{...axis}, {...axis, size: 60}],
          series: [{}, ...names.map((label, i) => ({label, stroke: colors[i], width: 1.5}))],
        },
        chart.data,
        byId(chart.id),
      );
    }
  }

  // Without a status there is a gap.
  function point(status) {
    for (const {lines, data, plot} of charts) {
      [() => Date.now() / 1000, ...Object.values(lines)].forEach((value, i) => {
        data[i].push(status || i === 0 ? value(status) : null);
        if (data[i].length > POINTS) {
          data[i].shift();
        }
      });
      plot.setData(data);
    }
  }

  // What is told.

  let last; // the last status that was told
  let heardAt;

  const page = (status, address) => ({text: address, http: status.memberList[address]?.http});

  function leads(status) {
    if (status.role === "leader") {
      return ["this server leads"];
    }
    return status.leader
      ? [page(status, status.leader), " leads"]
      : ["no leader is known"];
  }

  function show({status, hot}) {
    for (const cell of document.querySelectorAll("[data-figure]")) {
      const value = at({status, hot}, cell.dataset.figure);
      const text = value == null ? "-" : (AS[cell.dataset.as] ?? String)(value);
      if (cell.textContent !== text) {
        cell.textContent = text;
      }
    }
    for (const meter of document.querySelectorAll("meter")) {
      const figure = (place) => Number(at({status}, place)) || 0;
      meter.max = Math.max(figure(meter.dataset.of), 1);
      meter.high = 0.8 * meter.max;
      meter.optimum = 0;
      meter.value = figure(meter.dataset.fill);
    }
    const members = Object.entries(status.memberList);
    rows(
      "members",
      members.map(([address, member]) => [
        address === status.address ? `${address} (this server)` : page(status, address),
        member.leads ? "leads" : member.ready ? "ready to take over" : "not ready",
        member.leads ? "" : member.entriesBehind,
      ]),
    );
    rows(
      "leaders",
      Object.entries(status.lastLeaders)
        .reverse()
        .map(([epoch, {leader, seen}]) => [
          epoch,
          page(status, leader),
          new Date(seen).toLocaleString("en-GB"),
        ]),
    );
    rows(
      "hot",
      Object.entries(hot)
        .slice(0, 20)
        .map(([id, {refusals, surplus, commit}]) => [
          id,
          refusals,
          surplus,
          commit === 0 ? "not known" : String(commit),
        ]),
    );
    byId("hot-none").hidden = Object.keys(hot).length > 0;
    const health = status.status + (status.reason ? `: ${status.reason}` : "");
    say("state", [`${health}; `, ...leads(status)], status.serving ? "good" : "bad");
    if (last && status.leader && (last.leader !== status.leader || last.epoch !== status.epoch)) {
      const leader = page(status, status.leader);
      say("news", [`${clock(new Date())}: `, leader, ` leads now, in epoch ${status.epoch}`], "");
    }
    last = status;
    point(status);
  }

  // The connection.

  let events;
  let silence;

  function open() {
    const own = new EventSource("live");
    const lose = () => own === events && lost();
    events = own;
    own.onerror = lose;
    own.onmessage = (message) => {
      clearTimeout(silence);
      silence = setTimeout(lose, SILENCE_MS);
      heardAt = new Date();
      document.body.classList.remove("stale");
      show(JSON.parse(message.data));
    };
    clearTimeout(silence);
    silence = setTimeout(lose, SILENCE_MS);
  }

  async function lost() {
    events.close();
    events = undefined;
    clearTimeout(silence);
    if (!document.body.classList.contains("stale")) {
      document.body.classList.add("stale");
      point(undefined);
    }
    const since = heardAt ? ` since ${clock(heardAt)}, of which the figures are` : "";
    const others = Object.keys(last?.memberList ?? {}).filter((address) => address !== last.address);
    const links = others.flatMap((address) => [" ", page(last, address)]);
    const why = await health();
    const elsewhere = links.length > 0 ? ["Other members:", ...links] : [];
    say("state", [`no connection${since}; it is tried again. ${why}`, ...elsewhere], "bad");
    setTimeout(open, RETRY_MS);
  }

  // A server that answers, and tells no events, says why.
  async function health() {
    try {
      const answer = await fetch("health", {signal: AbortSignal.timeout(SILENCE_MS)});
      const {status, reason} = await answer.json();
      const remedy = reason ?? "too many pages are open, or you may not read its figures";
      return `The server answers, ${status}: ${remedy}. `;
    } catch {
      return "";
    }
  }

  for (const meter of document.querySelectorAll("meter")) {
    meter.setAttribute("aria-label", meter.closest("tr").cells[0].textContent);
  }
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  addEventListener("resize", () =>
    charts.forEach(({id, plot}) => plot.setSize({width: byId(id).clientWidth, height: HEIGHT})),
  );
  open();
})();
