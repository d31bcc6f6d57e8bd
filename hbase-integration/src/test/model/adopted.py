#!/usr/bin/env python3
"""Explicit-state model of outcomes that a region adopts: docs/decisions/0025. Built on marks.py: its oracle, clients, checks and
search are used here; the region is another one.

  python3 adopted.py rules [NAME [SECONDS]]    all rules on: every interleaving of the small cases
  python3 adopted.py broken [NAME [SECONDS]]   one rule off: the shortest trace to a wrong read, in the same small cases

A mark is an entry of the map, which belongs to the memory of P (the family !pw), or a cell of P: decision 24. An adoption is a
cell of P, key (-1, transaction), in the log and perhaps in memory, and an outcome in the map. Data cells: (row, version, kind, transaction, young); kinds as in
marks.py; young: written after an adoption about its transaction that P still has. Marks in P: 'M', young ones 'N', removed 'X'.
Each row is written in all data families; readers with an open scanner read the first one.
"""
import sys
from marks import Model, NONE, OPEN, COM, ABO

RULES = dict(
    adoptions='P',      # an adoption is a cell of P | 'no': it is in the map only
    logonly='anchored', # an adoption is in the log only, if P's memory has a cell, as HBase does not flush an empty one | 'always' | 'no'
    written='map',      # the flush of P writes the adoptions that the map has then | 'memory': those of them in its snapshot | 'no'
    forget='flushed',   # entries go when all data families have flushed what was there | 'one': one of them | 'snapshot' | 'early'
    filed=True,         # a row that a flush wrote unadopted needs its own cleanup
    real=True,          # so does a transaction that may have marks in P's memory or files, from before the region opened, too
    count=True,         # so does one of which the map has not all rows that the client says it wrote
    low=True,           # so does one below the horizon
    claims=True,        # so does one of which a write is under way
    refuse=True,        # writes of adopted transactions are refused
    replaymap=True,     # flushes at and amid a replay apply the adoptions that P has by then
    settle=True,        # a region closes only when rows with marks that adoptions from before it opened are about are cleaned up
    mapwins=True,       # such a row is cleaned up as its adoption says, wherever the horizon is
    found=True,         # the outcome of such an adoption stays until its marks are gone
    leaves='memory',    # a replay does not write marks of adopted transactions if it writes the data, too | 'all': of others, too | 'no'
    known=True,         # what the oracle has forgotten is not adopted: its marks are removed, and no outcome is kept
    older=False,        # an adoption is only about what was written before it, by sequence number: not needed
    rereadflush=True, rereadmiss=True, watchmap=True, sweepmap=True, rawmove=True, forgotten='A',
    dropsall=True,      # the flush drops what aborted transactions wrote
)
FIELDS = 'UP WAL FL AC MD MP SN FD FP MAP H INF OPN RU'.split()

class Adopted(Model):
    def __init__(self, writes, region_of, budgets, rules=None, families=1, start='empty', **options):
        super().__init__(writes, region_of, budgets, None, **options)
        self.r = dict(RULES); self.r.update(rules or {}); self.nf = families; self.start = start; self.views = {}
    def init(self):
        nxt, txns, _, _, bud, _ = super().init(); regs = []
        for g in range(self.ng):
            base = frozenset((r, 0, 1, -1, 0) for r in self.rows_in[g])
            zero = (0,) * (self.nf + 1)
            regs.append((1, (), zero, zero, (frozenset(),) * self.nf, (), None, (base,) * self.nf, (), (), 0, frozenset(), None, 0))
        if self.start == 'begun':  # T0 has written row 0, with a mark that is a cell; D was flushed; row 1 is to be written
            txns = ((1, 0, OPEN, 1, frozenset({0}), 0, 0, frozenset()),); nxt = 2
            regs = [regs[0][:1] + ((('W', 0, 0, 1, 0),), (1, 0), (1, 0)) + regs[0][4:5] + ((((0, 0), 'M'),),)
                    + regs[0][6:7] + ((regs[0][7][0] | {(0, 1, 0, 0, 0)},),) + regs[0][8:13] + (1,)]
        if self.start == 'late':  # T0 wrote the row and T1 deleted it; both are in D's file and forgotten; P's memory has the adoptions
            txns = tuple((2 * i + 1, 2 * i + 2, COM, 2, frozenset({0}), 1, 1, frozenset({0})) for i in range(2)); nxt = 5
            regs = [regs[0][:1] + ((('D', 0, 'C'), ('D', 1, 'C')), (2, 0), (2, 0)) + regs[0][4:5] + ((((-1, 0), 'C'), ((-1, 1), 'C')),)
                    + regs[0][6:7] + ((regs[0][7][0] | {(0, 2, 1, 0, 0), (0, 4, 1, 1, 0)},),) + regs[0][8:]]
        return nxt, txns, tuple(regs), None, bud, None

    # ---- views of a region; D is a dict of its fields
    @staticmethod
    def fields(R): return dict(zip(FIELDS, R))
    def raw(self, D, f):
        c = set(D['MD'][f]) | D['FD'][f]
        if D['SN'] and D['SN']['mem'][f] is not None: c |= D['SN']['mem'][f]
        return c
    def pdict(self, D):
        d = dict(D['FP'])
        if D['SN']: d.update(D['SN']['p'] or ())
        d.update(D['MP'])
        return d
    def base_view(self, R, f):
        """A region of marks.py with the cells of one family: for its checks and its readers."""
        if (R, f) in self.views: return self.views[R, f]
        D = self.fields(self.thaw(R)); V = [None] * 16
        V[self.UP] = D['UP']; V[self.MD] = frozenset(c[:4] for c in self.raw(D, f)); V[self.SN] = None; V[self.FSD] = ()
        V[self.FSP] = (tuple((k, 'M' if v == 'N' else v) for k, v in self.pdict(D).items()),); V[self.MP] = ()
        young = {c[3] for c in self.raw(D, f) if c[4]} if self.r['older'] else ()
        V[self.MAP] = tuple(e for e in D['MAP'] if not (self.old(e) and e[0] in young)); V[self.H] = D['H']
        if len(self.views) > 10000: self.views.clear()
        self.views[R, f] = tuple(V)
        return self.views[R, f]
    def check(self, st):
        if st[5] and st[5][0] == 'BAD': return st[5][1]
        for f in range(self.nf):
            bad = Model.check(self, st[:2] + (tuple(self.base_view(R, f) for R in st[2]),) + st[3:])
            if bad: return bad + (f' in family {f}' if f else '')
        return None

    # a snapshot is a dict while it is worked on, and a tuple in states
    SNF = ('mem', 'p', 'pos', 'out', 'row', 'pmarks', 'done')
    def thaw(self, R):
        R = list(R); s = R[6]
        if s is not None and not isinstance(s, dict): R[6] = dict(zip(self.SNF, s))
        return tuple(R)
    def freeze(self, D):
        D = dict(D); s = D['SN']
        if s is not None: D['SN'] = tuple(s[k] for k in self.SNF)
        elif D['UP']:
            n = len(D['WAL'])
            if n and not D['MP'] and not any(D['MD']) and not D['INF']: D['WAL'] = (); D['FL'] = D['AC'] = (0,) * (self.nf + 1)
            else:
                k = min(D['FL'] + D['AC'])
                if k: D['WAL'] = D['WAL'][k:]; D['FL'] = tuple(x - k for x in D['FL']); D['AC'] = tuple(x - k for x in D['AC'])
        return tuple(D[k] for k in FIELDS)

    @staticmethod
    def older_than_now(D, i):
        """A new adoption about i is about all that is there, whatever an earlier one was about."""
        def cells(c): return None if c is None else frozenset(x[:4] + (0,) if x[3] == i else x for x in c)
        def marks(m): return None if m is None else tuple((k, 'M' if k[1] == i and v == 'N' else v) for k, v in m)
        D = dict(D, MD=tuple(map(cells, D['MD'])), FD=tuple(map(cells, D['FD'])), MP=marks(D['MP']), FP=marks(D['FP']),
                 WAL=tuple(x[:4] + (0,) if x[0] == 'W' and x[1] == i else x for x in D['WAL']))
        if D['SN']: D['SN'] = dict(D['SN'], mem=tuple(map(cells, D['SN']['mem'])), out=tuple(map(cells, D['SN']['out'])), p=marks(D['SN']['p']))
        return D
    # ---- the region's own steps
    @staticmethod
    def entry(D, e): D['MAP'] = tuple(sorted([x for x in D['MAP'] if x[0] != e[0]] + [e], key=lambda x: x[0]))
    def admit(self, D, tok):
        """The mark is in the map before the write is in log and memory."""
        i, row, virt, _ = tok
        e = next((x for x in D['MAP'] if x[0] == i), (i, 'P', frozenset(), frozenset(), frozenset()))
        if virt and e[1] == 'P': self.entry(D, (i, 'P', e[2] | {row}) + e[3:])
    def write(self, D, tx, tok):
        i, row, virt, _ = tok; ts = tx[i][0]; p = self.pdict(D)
        young = 1 if (-1, i) in p and not any(e[0] == i and e[1] != 'P' for e in D['MAP']) else 0
        if virt and not D['MP']:  # another row's mark came first, and is a cell
            D['WAL'] += (('O',),); D['MP'] = (((-1, -1), 'X'),)
        D['WAL'] += (('W', i, row, ts, young),)
        D['MD'] = tuple(m | {(row, ts, 0, i, young)} for m in D['MD'])
        if not virt: D['MP'] = self.pset(D['MP'], (row, i), 'N' if young else 'M'); D['RU'] = max(D['RU'], ts)
    def log_adoption(self, D, i, o):
        """The cell of an adoption, which is in memory only to be the first there; a replay makes cells of all."""
        D['WAL'] += (('D', i, o),)
        if self.r['logonly'] == 'no' or self.r['logonly'] == 'anchored' and not D['MP']: D['MP'] = self.pset(D['MP'], (-1, i), o)
    def row_cleanup(self, D, i, row, o, t):
        adds = []
        for f in range(self.nf):
            raw = self.raw(D, f); dead = any(c[0] == row and c[1] == t[0] and c[2] == 2 for c in raw)
            there = any(c[0] == row and c[1] == t[0] and c[2] == 0 for c in raw); add = set()
            if there and (not dead or self.r['rawmove']):
                add.add((row, t[0], 2, None, 0))
                if not dead and o == 'C': add.add((row, t[1], 1, i, 0))
            adds.append(frozenset(add))
        D['WAL'] += (('V', i, row, tuple(adds)),); D['MD'] = tuple(m | a for m, a in zip(D['MD'], adds))
        virt = any(e[0] == i and row in e[2] for e in D['MAP'])
        if not virt or self.pdict(D).get((row, i)) in ('M', 'N'): D['MP'] = self.pset(D['MP'], (row, i), 'X')
        D['MAP'] = tuple(e for e in ((e[0], e[1], e[2] - {row} if e[0] == i else e[2], e[3] - {row} if e[0] == i else e[3], e[4])
                                     for e in D['MAP']) if e[1] != 'P' or e[2])
    def adopted_cells(self, cells, row, outcome):
        """What a flush writes of a row; outcome(cell) is 'C', 'A' or None."""
        res = set(); dead = {(x[0], x[1]) for x in cells if x[2] == 2}
        for c in cells:
            if c[0] != row: continue
            o = outcome(c) if c[2] == 0 else None
            if o == 'C': res.add((row, self.tcs[c[3]], 1, c[3], 0))
            elif o != 'A': res.add(c)
        return {x for x in res if not (x[2] == 0 and (x[0], x[1]) in dead)}

    def succ(self, st):
        nxt, tx, regs, sw, budt, rd = st
        bud = dict(budt); r = self.r; out = []
        def put(name, nxt=nxt, tx=tx, regs=regs, sw=sw, use=None, rd=rd):
            b = budt
            if use: d = dict(bud); d[use] -= 1; b = tuple(sorted(d.items()))
            out.append((name, (nxt, tx, regs, sw, b, rd)))
        def T(i, **k):
            t = list(tx[i])
            for a, v in k.items(): t[dict(ts=0, tc=1, st=2, cl=3, ack=4, left=5, clean=6, acks=7)[a]] = v
            return tx[:i] + (tuple(t),) + tx[i + 1:]
        def RG(g, D): return regs[:g] + (self.freeze(D),) + regs[g + 1:]
        self.oracle(nxt, tx, sw, bud, put, T)
        W = self.watermark(st)
        for g in range(self.ng):
            D = self.fields(self.thaw(regs[g]))
            if not D['UP']: self.opening(g, D, put, RG, bud, W, tx); continue
            p = self.pdict(D); m = {e[0]: e for e in D['MAP']}; infl = D['INF']
            marks = {k for k, v in p.items() if v in ('M', 'N')}
            for i in range(self.n):
                ts, tc, s, cl, acked, left, clean, acks = tx[i]
                if s == NONE: continue
                e = m.get(i); busy = r['claims'] and any(x[0] == i for x in infl)
                for row in self.W[i]:
                    if self.ro[row] != g: continue
                    orig = cl == 1 and row not in acked; dup = row in acked and bud.get('dup', 0) > 0
                    if (orig or dup) and not any(x[0] == i and x[1] == row for x in infl) and ts >= D['H'] \
                            and not (r['refuse'] and e and e[1] != 'P'):
                        for virt in ([True] if D['MP'] and not self.mapfull else [False, True]):
                            tok = (i, row, virt, orig); D2 = dict(D)
                            nm = ('write' if orig else 'late duplicate') + f' T{i} row {row}' + ('' if virt else ' (real mark)')
                            use = None if orig else 'dup'
                            self.admit(D2, tok)
                            if self.twostep: D2['INF'] = infl | {tok}; put(nm + ' admitted', regs=RG(g, D2), use=use)
                            else: self.write(D2, tx, tok); put(nm, regs=RG(g, D2), tx=T(i, ack=acked | {row}) if orig else tx, use=use)
                # the region adopts
                mine = {row for row in self.W[i] if self.ro[row] == g}
                if e and e[1] == 'P' and e[2] and s in (COM, ABO) and not busy and not (r['filed'] and e[3]) \
                        and not (r['real'] and ts <= D['RU']) and not (r['count'] and e[2] != mine) and not (r['low'] and ts < D['H']):
                    forgotten = not r['known'] and self.answer(tx[i])[0] == 'RETRY'
                    for o in ['C' if s == COM else 'A'] + (['A'] if forgotten and s == COM else []):
                        D2 = self.older_than_now(D, i)
                        self.entry(D2, (i, o, frozenset(), frozenset(), frozenset((f, 0) for f in range(self.nf))))
                        if r['adoptions'] == 'P': self.log_adoption(D2, i, o)
                        put(f'region {g} adopts T{i} {o}', regs=RG(g, D2), tx=T(i, acks=acks | {g}) if o == 'C' else tx)
                if bud.get('stray', 0) and s in (COM, ABO) and ts >= D['H'] and (-1, i) not in p and (not e or e[1] == 'P'):
                    # it was admitted, but when it had been logged the region could not vouch for all rows any more
                    o = 'C' if s == COM else 'A'
                    D2 = dict(D); self.log_adoption(D2, i, o)
                    put(f'adoption T{i} {o} is written, and not taken', use='stray', regs=RG(g, D2))
                # row by row
                for row in mine:
                    if any(x[0] == i and x[1] == row for x in infl): continue
                    if not ((row, i) in marks or e and row in e[2]): continue
                    outs = {'A' if s == ABO or ts < D['H'] else 'C'} if s in (COM, ABO) else set()
                    if self.answer(tx[i])[0] == 'RETRY': outs.add('A')
                    if r['mapwins'] and e and e[1] != 'P' and p.get((row, i)) == 'M': outs = {e[1]}
                    for o in outs:
                        D2 = dict(D); self.row_cleanup(D2, i, row, o, tx[i])
                        put(f'row {row} of T{i} cleaned up {o}', regs=RG(g, D2))
                if s == COM and g in self.regs_of[i] and g not in acks and not (e and e[2]) and not any((row, i) in marks for row in mine):
                    put(f'region {g} acknowledges cleanup of T{i}', tx=T(i, acks=acks | {g}))
                if e and e[1] != 'P' and (self.may_forget(D, e) if not self.old(e)
                                         else not (r['found'] and any((row, i) in marks for row in mine))):
                    D2 = dict(D); D2['MAP'] = tuple(x for x in D['MAP'] if x[0] != i)
                    put(f'region {g} forgets T{i}', regs=RG(g, D2), rd=rd[:3] + (rd[3] | 2,) if rd and self.ro[rd[0]] == g else rd)
            for tok in infl:
                D2 = dict(D); self.write(D2, tx, tok); D2['INF'] = infl - {tok}
                put(f'applied T{tok[0]} row {tok[1]}', regs=RG(g, D2), tx=T(tok[0], ack=tx[tok[0]][4] | {tok[1]}) if tok[3] else tx)
            if sw and g not in sw[1]:
                pend = {i for (row, i) in marks}
                if r['sweepmap']: pend |= {e[0] for e in D['MAP'] if e[1] == 'P' and e[2]}
                if not any(tx[i][2] == COM and tx[i][1] < sw[0] and not (tx[i][5] and tx[i][6]) for i in pend):
                    put(f'sweep visits region {g}', sw=(sw[0], sw[1] | {g}))
            self.reader(g, self.base_view(regs[g], 0) if rd or bud.get('reader', 0) else None, m, marks, tx, nxt, rd, bud, put)
            if W > D['H'] and not infl: put(f'region {g} horizon {W}', regs=RG(g, dict(D, H=W)))
            self.flush(g, D, put, RG, bud, rd, tx)
            if bud.get('compact', 0) and D['SN'] is None:
                for f in range(self.nf):
                    c = D['FD'][f]; dead = {(x[0], x[1]) for x in c if x[2] == 2}
                    new = frozenset(self.purge({x for x in c if x[2] != 2 and not (x[2] == 0 and (x[0], x[1]) in dead)}, D['H'], not D['MD'][f]))
                    if new != c: put(f'region {g} compacts family {f}', regs=RG(g, dict(D, FD=D['FD'][:f] + (new,) + D['FD'][f + 1:])), use='compact')
                new = tuple(x for x in D['FP'] if x[1] in ('M', 'N') or x[1] in ('C', 'A') and x[0][1] in m)
                if new != D['FP']: put(f'region {g} compacts P', regs=RG(g, dict(D, FP=new)), use='compact')
            if bud.get('crash', 0): self.crash(g, D, put, RG)
        return out
    @staticmethod
    def old(e): return ('old', 0) in e[4]
    def may_forget(self, D, e):
        left = [x for x in e[4] if self.raw_memory(D, x[0])]  # a family without anything in memory has flushed
        return {'early': True, 'flushed': not left, 'one': len(left) < self.nf, 'snapshot': all(x[1] for x in left)}[self.r['forget']]
    @staticmethod
    def raw_memory(D, f): return D['MD'][f] or D['SN'] and D['SN']['mem'][f]

    def flush(self, g, D, put, RG, bud, rd, tx):
        r = self.r; s = D['SN']; nf = self.nf
        if s is None:
            if bud.get('close', 0) and not (r['settle'] and any(map(self.old, D['MAP']))) and not any(D['MD']) and not D['MP'] and not D['INF'] and (D['MAP'] or D['WAL'] or D['FP']):
                for how, files in (('opens', D['FP']), ('opens as the second half after a split', tuple(x for x in D['FP'] if x[0][0] >= 0))):
                    put(f'region {g} closes and {how}', use='close', rd=None,
                        regs=RG(g, dict(D, MAP=(), WAL=(), FL=(0,) * (nf + 1), AC=(0,) * (nf + 1), OPN=('S',), UP=0, FP=files)))
            if D['INF'] or not bud.get('flush', 0) or not any(D['MD']) and not D['MP']: return
            sets = [{f} for f in range(nf + 1)] + [set(range(nf + 1))]
            for what in sets:
                D2 = dict(D)
                D2['SN'] = dict(mem=tuple(D['MD'][f] if f in what else None for f in range(nf)), p=D['MP'] if nf in what else None, pos=len(D['WAL']),
                                out=(frozenset(),) * nf, row=(0,) * nf, pmarks=nf not in what or not D['MP'], done=0)
                D2['MD'] = tuple(frozenset() if f in what else D['MD'][f] for f in range(nf))
                if nf in what: D2['MP'] = ()
                D2['MAP'] = tuple(e if e[1] == 'P' or self.old(e) else e[:4] + (frozenset((f, 1 if f in what else n) for f, n in e[4]),)  for e in D['MAP'])
                put(f'region {g} snapshot ' + ','.join('P' if f == nf else f'D{f}' for f in sorted(what)), regs=RG(g, D2), use='flush')
            return
        rows = self.rows_in[g]
        if not s['pmarks']:
            if D['INF']: return
            P2 = dict(s['p']); D2 = dict(D); left = []
            for e in D['MAP']:
                if e[1] != 'P': left.append(e); continue
                for row in e[2]:
                    if (row, e[0]) not in dict(D['MP']): P2[(row, e[0])] = 'M'
                    D2['RU'] = max(D2['RU'], tx[e[0]][0])
            D2['MAP'] = tuple(left); known = {(-1, e[0]): e[1] for e in left}
            snapshot = {k for k in P2 if k in known}; P2 = {k: v for k, v in P2.items() if v not in ('C', 'A')}
            P2.update((k, v) for k, v in known.items() if r['written'] == 'map' or r['written'] == 'memory' and k in snapshot)
            D2['SN'] = dict(s, p=tuple(sorted(P2.items())), pmarks=True)
            put(f'region {g} flush takes the marks of the map', regs=RG(g, D2))
        m = {e[0]: e[1] for e in D['MAP'] if e[1] != 'P'}
        def outcome(c): return m.get(c[3]) if not (c[4] and r['older']) else None
        for f in range(nf):
            if s['mem'][f] is None: continue
            if s['row'][f] < len(rows):
                todo = rows[s['row'][f]:s['row'][f] + 1] if self.scanstep else rows[s['row'][f]:]
                new = set(s['out'][f]); D2 = dict(D)
                for row in todo:
                    new |= self.adopted_cells(s['mem'][f], row, outcome)
                    wrote = {c[3] for c in s['mem'][f] if c[0] == row and c[2] == 0}
                    D2['MAP'] = tuple(e[:3] + (e[3] | {row}, e[4]) if e[1] == 'P' and e[0] in wrote and row in e[2] else e for e in D2['MAP'])
                D2['SN'] = dict(s, out=s['out'][:f] + (frozenset(new),) + s['out'][f + 1:], row=s['row'][:f] + (s['row'][f] + len(todo),) + s['row'][f + 1:])
                put(f'region {g} flush writes rows {todo} of D{f}', regs=RG(g, D2))
            elif not s['done'] >> f & 1 and (s['pmarks']):
                new = frozenset(self.purge(s['out'][f], D['H'], False)); D2 = dict(D); mem = s['mem'][f]; rd2 = rd
                D2['FD'] = D['FD'][:f] + (D['FD'][f] | new,) + D['FD'][f + 1:]
                D2['MAP'] = tuple(e if e[1] == 'P' else e[:4] + (e[4] - {(f, 1)},) for e in D['MAP'])
                if f == 0 and rd and self.ro[rd[0]] == g:  # HBase seeks open scanners anew, to the cell at which they stand
                    view = set(); top = max((c[1:3] for c in rd[2]), default=(9999, 9)); old = {c[:4] for c in mem}; now = {c[:4] for c in new}
                    for c in rd[2]:
                        if c not in old or c in now: view.add(c)
                        else:
                            c2 = (c[0], self.tcs[c[3]], 1, c[3])
                            if c[2] == 0 and c2 in now and c2[1:3] <= top: view.add(c2)
                    rd2 = (rd[0], rd[1], frozenset(view), rd[3] | 1)
                self.commit(g, D2, f, bool(mem), put, RG, rd2)
        if s['p'] is not None and s['pmarks'] and not s['done'] >> nf & 1:
            d = dict(D['FP']); d.update(s['p'])
            self.commit(g, dict(D, FP=tuple(sorted(d.items()))), nf, bool(s['p']), put, RG, rd)
    def commit(self, g, D, f, file, put, RG, rd):
        s = D['SN']; nf = self.nf; D = dict(D)
        s = dict(s, done=s['done'] | 1 << f)
        if f < nf: s['mem'] = s['mem'][:f] + (None,) + s['mem'][f + 1:]
        else: s['p'] = None
        if file: D['FL'] = D['FL'][:f] + (s['pos'],) + D['FL'][f + 1:]
        if s['p'] is None and all(x is None for x in s['mem']):
            D['AC'] = tuple(s['pos'] if s['done'] >> x & 1 else D['AC'][x] for x in range(nf + 1)); s = None
        D['SN'] = s
        put(f'region {g} flush commits ' + ('P' if f == nf else f'D{f}'), regs=RG(g, D), rd=rd)

    def crash(self, g, D, put, RG):
        if not D['UP'] and D['OPN'] == ('S',) and not D['WAL']: return
        seen = set(); nf = self.nf
        for how in ('files', 'reported'):
            skip = D['FL'] if how == 'files' else tuple(map(max, D['FL'], D['AC']))
            if skip in seen: continue
            seen.add(skip)
            put(f'region {g} crashes (replay skips by {how}: {skip} of {len(D["WAL"])})', use='crash', rd=None,
                regs=RG(g, dict(D, UP=0, OPN=(0, skip, 0), MD=(frozenset(),) * nf, MP=(), SN=None, MAP=(), INF=frozenset(), RU=0)))
    def opening(self, g, D, put, RG, bud, W, tx):
        nf = self.nf; wal = D['WAL']; r = self.r
        if bud.get('crash', 0): self.crash(g, D, put, RG)
        p = self.pdict(D)
        if D['OPN'] == ('S',):
            todo = [k for k, v in p.items() if (v == 'M' or v == 'N' and not r['older']) and (-1, k[1]) in p]
            old = tuple((i, p[(-1, i)], frozenset(), frozenset(), frozenset({('old', 0)})) for i in sorted({k[1] for k in todo}))
            ru = max((tx[k[1]][0] for k in p if k[0] >= 0), default=0)
            put(f'region {g} is open', regs=RG(g, dict(D, UP=1, OPN=None, H=max(W, D['H']), RU=ru, MAP=old))); return
        idx, skip, stage = D['OPN']
        def outcome(c):
            return p.get((-1, c[3])) if r['replaymap'] and not (c[4] and r['older']) else None
        def written(cells):
            res = set()
            for row in self.rows_in[g]: res |= self.adopted_cells(cells, row, outcome)
            return frozenset(res)
        def marks():
            filed = max(D['FL'][:nf]) if r['leaves'] == 'memory' else 0
            last = {(x[2], x[1]): k for k, x in enumerate(wal[:idx]) if x[0] == 'W'}
            return tuple((k, v) for k, v in D['MP'] if r['leaves'] == 'no' or v not in ('M', 'N') or (-1, k[1]) not in p or last.get(k, -1) < filed)
        if idx < len(wal):
            x = wal[idx]; D2 = dict(D, OPN=(idx + 1, skip, 0)); MD = list(D['MD']); live = [idx >= k for k in skip]
            for f in range(nf):
                if live[f] and x[0] == 'W': MD[f] = MD[f] | {(x[2], x[3], 0, x[1], x[4])}
                if live[f] and x[0] == 'V': MD[f] = MD[f] | x[3][f]
            D2['MD'] = tuple(MD)
            if live[nf]:
                key, v = {'W': lambda: ((x[2], x[1]), 'N' if x[4] else 'M'), 'V': lambda: ((x[2], x[1]), 'X'),
                          'D': lambda: ((-1, x[1]), x[2]), 'O': lambda: ((-1, -1), 'X')}[x[0]]()
                D2['MP'] = self.pset(D['MP'], key, v)
            put(f'region {g} replays {x[:3]} into ' + ''.join(n for n, l in zip([f'D{f}' for f in range(nf)] + ['P'], live) if l), regs=RG(g, D2))
            if bud.get('replayflush', 0) and (any(D['MD']) or D['MP']):
                D2 = dict(D)
                D2['FD'] = tuple(a | written(b) for a, b in zip(D['FD'], D['MD'])); d = dict(D['FP']); d.update(marks()); D2['FP'] = tuple(sorted(d.items()))
                D2['FL'] = tuple(idx if b else a for a, b in zip(D['FL'], D['MD'] + (D['MP'],))); D2['MD'] = (frozenset(),) * nf; D2['MP'] = ()
                put(f'region {g} flushes amid replay', regs=RG(g, D2), use='replayflush')
            return
        for f in range(nf + 1):  # HBase's flush at the end of a replay, store by store; then the recovered edits go
            if stage >> f & 1: continue
            D2 = dict(D, OPN=(idx, skip, stage | 1 << f))
            if f < nf:
                if D['MD'][f]: D2['FD'] = D['FD'][:f] + (D['FD'][f] | written(D['MD'][f]),) + D['FD'][f + 1:]
                D2['MD'] = D['MD'][:f] + (frozenset(),) + D['MD'][f + 1:]
            else: d = dict(D['FP']); d.update(marks()); D2['FP'] = tuple(sorted(d.items())); D2['MP'] = ()
            if (D['MD'] + (D['MP'],))[f]: D2['FL'] = D['FL'][:f] + (len(wal),) + D['FL'][f + 1:]
            put(f'region {g} replay flush commits ' + ('P' if f == nf else f'D{f}'), regs=RG(g, D2))
        if stage == (1 << nf + 1) - 1:
            put(f'region {g} replayed', regs=RG(g, dict(D, OPN=('S',), WAL=(), FL=(0,) * (nf + 1), AC=(0,) * (nf + 1))))

# name, writes per transaction (rows), region of each row, budgets, options
SUITES = {
    'crash': ([[0]], [0], dict(flush=1, crash=1), dict(twostep=False)),
    'dup': ([[0]], [0], dict(flush=1, dup=1), dict(twostep=False, mapfull=True)),
    'two-step': ([[0]], [0], dict(flush=1, dup=1), {}),
    'dup-crash': ([[0]], [0], dict(crash=1, dup=1), dict(twostep=False)),
    'reader': ([[0]], [0], dict(flush=1, reader=1), dict(twostep=False)),
    'reader-dup': ([[0]], [0], dict(dup=1, reader=1), dict(twostep=False)),
    'close': ([[0]], [0], dict(flush=1, close=1, sweep=1), dict(twostep=False)),
    'close-dup': ([[0]], [0], dict(flush=1, close=1, dup=1), dict(twostep=False)),
    'replays': ([[0]], [0], dict(crash=1, replayflush=1, close=1, flush=1), dict(twostep=False, abort=False)),
    'crashes': ([[0]], [0], dict(crash=2, replayflush=1), dict(twostep=False, abort=False)),
    'flushes': ([[0]], [0], dict(flush=2), dict(twostep=False)),
    'dup-flushes': ([[0]], [0], dict(flush=2, dup=1), dict(twostep=False, abort=False)),
    'compact': ([[0]], [0], dict(flush=1, compact=1, dup=1), dict(twostep=False)),
    'stray': ([[0]], [0], dict(flush=1, crash=1, stray=1), dict(twostep=False, abort=False)),
    'families': ([[0]], [0], dict(flush=2), dict(twostep=False, families=2)),
    'families-crash': ([[0]], [0], dict(flush=1, crash=1), dict(twostep=False, families=2, abort=False)),
    'tworows': ([[0, 1]], [0, 0], dict(flush=1), dict(twostep=False)),
    'begun': ([[0, 1]], [0, 0], dict(flush=1), dict(twostep=False, abort=False, scanstep=False, start='begun')),
    'tworows-close': ([[0, 1]], [0, 0], dict(flush=1, close=1), dict(twostep=False, abort=False, scanstep=False)),
    'late': ([[0], [0]], [0], dict(dup=1, compact=1, crash=1, flush=1, replayflush=1), dict(twostep=False, tomb=(1,), start='late')),
    # larger than minutes: cut
    'all': ([[0]], [0], dict(flush=2, crash=1, dup=1, replayflush=1), {}),
    'two': ([[0], [0]], [0], dict(flush=1, crash=1), dict(twostep=False, abort=False)),
    'tombstone': ([[0], [0]], [0], dict(flush=1, compact=1, dup=1), dict(twostep=False, abort=False, tomb=(1,))),
    'tombstone-crash': ([[0], [0]], [0], dict(flush=1, compact=1, dup=1, crash=1), dict(twostep=False, abort=False, tomb=(1,))),
    'tworegions': ([[0, 1]], [0, 1], dict(flush=1, crash=1), dict(twostep=False, scanstep=False, abort=False)),
}
LARGE = ('all', 'two', 'tombstone', 'tombstone-crash', 'tworegions')
BROKEN = {  # rule off: the suite in which it is found
    'adoption-in-the-map-only': ('crash', dict(adoptions='no')),
    'adoption-without-a-cell-in-memory': ('crash', dict(logonly='always')),  # nothing is found: where marks are no cells, P's memory has one
    'flush-of-P-without-adoptions': ('crash', dict(written='no')),
    'flush-of-P-with-those-of-its-snapshot-only': ('replays', dict(written='memory')),
    'forgotten-early': ('crash', dict(forget='early')),
    'forgotten-at-the-snapshot': ('crash', dict(forget='snapshot')),
    'forgotten-after-one-family': ('families', dict(forget='one')),
    'rows-in-files-adopted': ('crash', dict(filed=False)),
    'rows-with-real-marks-adopted': ('begun', dict(real=False, count=False)),
    'real-marks-adopted': ('begun', dict(real=False)),  # nothing is found, as rows have one column: the count suffices
    'rows-not-counted': ('begun', dict(count=False)),  # nor here, with one region
    'adopted-below-the-horizon': ('late', dict(low=False)),  # nothing is found: a precaution
    'adopted-amid-a-write': ('two-step', dict(claims=False)),
    'writes-of-the-adopted-taken': ('dup', dict(refuse=False)),
    'replay-blind-for-adoptions': ('crash', dict(replaymap=False)),
    'marks-of-what-is-filed-left-out': ('stray', dict(leaves='all')),
    'closed-with-rows-to-clean-up': ('replays', dict(settle=False)),
    'horizon-wins-over-old-adoptions': ('replays', dict(mapwins=False)),
    'found-outcome-goes-before-its-marks': ('replays', dict(found=False)),
    'forgotten-adopted-as-aborted': ('reader-dup', dict(known=False)),
    'scanner-goes-on-over-flush': ('reader', dict(rereadflush=False)),
    'no-second-read-on-a-miss': ('reader', dict(rereadmiss=False)),
    'watch-blind-for-map': ('crash', dict(watchmap=False)),
    'sweep-blind-for-map': ('close', dict(sweepmap=False)),
    'cleanup-blind-for-hidden-cells': ('compact', dict(rawmove=False)),
}

def build(name, rules=None):
    w, ro, b, o = SUITES[name]
    return Adopted(w, ro, b, rules, **o)

if __name__ == '__main__':
    what = sys.argv[1] if len(sys.argv) > 1 else 'all'
    only = sys.argv[2] if len(sys.argv) > 2 else ''
    secs = float(sys.argv[3]) if len(sys.argv) > 3 else 10**9
    if what in ('all', 'rules'):
        for name in SUITES:
            if only and name not in only.split(','): continue
            res = build(name).run(seconds=secs, quiet=True)
            print(f'{name:16} {res[0]} {res[1]:>9} states {res[2]:7.0f} s {res[3]}', flush=True)
            for x in res[4]: print('      ', x)
    if what in ('all', 'broken'):
        for name, rules in BROKEN.items():
            if only and name not in only.split(','): continue
            suite, rules = rules
            res = build(suite, rules).run(seconds=secs)
            print(f'{name}: {suite}, {res[0]}, {res[1]} states: {res[3]}', flush=True)
            for x in res[4]: print('      ', x)
