#!/usr/bin/env python3
"""Explicit-state model of marks and cells in a region: which of them may stay in memory and the write-ahead log only.

  python3 marks.py memory [NAME [SECONDS]]   marks in a map that belongs to the memory of !pw: what is built, decision 24
  python3 marks.py real | B [NAME [SECONDS]] all marks are cells; marks in a map that is emptied before each snapshot
  python3 marks.py rules [NAME [SECONDS]]    outcomes, too, are kept in the region, and applied when it is flushed
  python3 marks.py broken [NAME [SECONDS]]   one rule off: the shortest trace to a wrong read (the search is breadth first)
  python3 marks.py                           all of it: hours

One step each of
  oracle     begin, commit (with conflicts), abort at any time, forgetting a decided one at any time after,
             'cleaned up' reports, sweeps (begin, visit region, swept)
  client     writes row by row (dies by doing nothing more), duplicates of writes at any later time
  region     a write is admitted, then applied (log + memory); records of outcomes; cleanups of rows; flush = snapshot of any
             subset of the stores, scan row by row, commit store by store in any order, end; horizon; compaction;
             close (move, split, merge); crash at any point; replay entry by entry, skipping per store either by the files'
             sequence ids or by what was reported to the master, with flushes in the middle of the replay; final flush
Stores: D (data) and P (the family !pw). A cell is (row, number, kind, value): kind 0 = version Ts, 1 = version Tc + 1,
2 = HBase's delete marker of version Ts. Value = index of the transaction that wrote it, -1 = what was there before.

Checked in every state, in every open region, for every row and every snapshot S at or above the horizon:
  READ    a snapshot read returns exactly the newest commit below S
  WATCH   a validating read says 'unchanged since S' only if nothing above S is committed
  FIRST   the first change after S is the true one
"""
import sys, time
from collections import deque

NONE, OPEN, COM, ABO = range(4)
SAFE = dict(
    realmode=True,    # from materialising to the snapshot, new writes put real marks
    drain=True,       # materialising waits for writes that were admitted with a mark in the WAL only
    mat='all',        # before a snapshot of 'all' (any store, close included) | 'D' only if D is flushed | 'noclose' | 'none'
    rec='D',          # families of the WAL in which a decision record stands: 'D' | 'P'
    prescan=True,     # replay knows all records before it flushes for the first time
    durable=True,     # the record is durable before the outcome is used or acknowledged
    claims=True,      # a decision waits for writes of its transaction that are under way
    refuse=True,      # writes of a transaction that the map knows as decided are refused
    drop='flushed',   # map entries go: 'flushed' (a flush of D begun after the decision has ended) | 'snap' | 'early'
    drophorizon=False,  # ... and only below the horizon
    sweepmap=True,    # a sweep sees marks of the map
    frozen=False,     # the flush scanner uses the map as it was when marks were materialised
    watchmap=True,    # validating gets look at decided versions at or below S
    ackreal=True,     # acknowledged only when rows with real marks are moved
    rereadflush=True, # a row is read again if a flush of D was committed since its scanner was opened
    rereadmiss=True,  # a row is read again if a version is neither in the map nor marked, or the oracle answers RETRY
    forgotten='G',    # what the map keeps of marks that are removed because the oracle forgot their writer: 'G', no outcome | 'A'
    rawmove=True,     # a row's cleanup deletes cells of version Ts that older delete markers hide, too
    layoutB=False,    # layout B: marks as in C, but every row is moved as today; no records, nothing decided in the map
    allreal=False,    # all marks are real: each is a cell of P from the beginning
    withP=False,      # marks of the map belong to P's memory: whenever P is flushed they are written with it, and at no other time
    anchor=True,      # withP: a mark stays in the map only if P's memory has a cell, as HBase does not flush an empty memory
    writesmap=True,   # withP: the flush of P writes the marks of the map
    barrier=True,     # withP: ... at a moment when no batch is under way, so that a cleanup sees before or after
    mapwins=True,     # a row's cleanup uses the map's outcome if it has one
)

class Model:
    def __init__(self, writes, region_of, budgets, rules=None, tomb=(), twostep=True, abort=True, mapfull=False, scanstep=True,
                 partial=True):
        self.W = writes; self.ro = region_of; self.n = len(writes); self.ng = max(region_of) + 1
        self.rows_in = [[r for r in range(len(region_of)) if region_of[r] == g] for g in range(self.ng)]
        self.B0 = budgets; self.r = dict(SAFE); self.r.update(rules or {}); self.tomb = tomb
        self.twostep = twostep; self.abort = abort; self.mapfull = mapfull; self.scanstep = scanstep; self.partial = partial
        self.regs_of = [sorted({region_of[r] for r in w}) for w in writes]

    # region: up wal fD fP aD aP memD memP snap filesD filesP map H infl mode open
    UP, WAL, FD, FP, AD, AP, MD, MP, SN, FSD, FSP, MAP, H, INF, MODE, OPN = range(16)
    def init(self):
        regs = []
        for g in range(self.ng):
            base = frozenset((r, 0, 1, -1) for r in self.rows_in[g])
            regs.append((1, (), 0, 0, 0, 0, frozenset(), (), None, (base,), (), (), 0, frozenset(), 0, None))
        txns = tuple((0, 0, NONE, 1, frozenset(), 0, 0, frozenset()) for _ in range(self.n))
        return (1, txns, tuple(regs), None, tuple(sorted(self.B0.items())), None)

    # ---- helpers
    @staticmethod
    def pset(layer, key, v):
        d = dict(layer); d[key] = v
        return tuple(sorted(d.items()))
    def marks(self, R):
        d = {}
        for f in R[self.FSP]: d.update(f)
        s = R[self.SN]
        if s: d.update(s[1] or ())
        d.update(R[self.MP])
        return {k for k, v in d.items() if v == 'M'}
    def cells(self, R):
        c = set(R[self.MD])
        s = R[self.SN]
        if s and s[0] is not None: c |= s[0]
        for f in R[self.FSD]: c |= f
        dead = {(x[0], x[1]) for x in c if x[2] == 2}
        return {x for x in c if x[2] == 1 or x[2] == 0 and (x[0], x[1]) not in dead}
    def watermark(self, st):
        nxt, tx, _, sw, _, _ = st
        w = nxt
        for t in tx:
            if t[2] == OPEN or t[2] == COM and not t[6]: w = min(w, t[0])
        if sw: w = min(w, sw[0])
        return w
    @staticmethod
    def answer(t):  # of the oracle
        if t[2] == OPEN: return 'OPEN', 0
        if t[2] == COM and (not t[5] or not t[6]): return 'COM', t[1]
        if t[2] == ABO and not t[5]: return 'ABO', 0
        return 'RETRY', 0

    # ---- properties
    def check(self, st):
        nxt, tx, regs, sw, bud, rd = st
        if rd and rd[0] == 'BAD': return rd[1]
        byts = {t[0]: i for i, t in enumerate(tx) if t[0]}
        for g, R in enumerate(regs):
            if not R[self.UP]: continue
            cells = self.cells(R); marks = self.marks(R); m = {e[0]: e for e in R[self.MAP]}
            for row in self.rows_in[g]:
                mine = sorted((c for c in cells if c[0] == row), key=lambda c: (-c[1], -c[2]))
                info = []  # (num, kind, val, verdict): verdict tc>0 committed at, 0 not visible, None open
                for c in mine:
                    if c[2] == 1: info.append((c[1], 1, c[3], c[1], True)); continue
                    i = byts.get(c[1]); t = tx[i]; e = m.get(i); inmap = False
                    if e and e[1] != 'P': v = t[1] if e[1] == 'C' else 0; inmap = True
                    else:
                        mark = (row, i) in marks or e is not None and row in e[2]
                        if not mark: v = c[1]  # a plain writer's
                        elif c[1] < R[self.H]: v = 0
                        else:
                            a, tc = self.answer(t)
                            v = tc if a == 'COM' else None if a == 'OPEN' else 0
                    info.append((c[1], 0, c[3], v, inmap))
                hist = sorted((t[1], i) for i, t in enumerate(tx) if t[2] == COM and row in self.W[i])
                for S in range(max(1, R[self.H]), nxt + 1):
                    want = -1
                    for tc, i in hist:
                        if tc < S: want = i
                    if want in self.tomb: want = None
                    got = None
                    for num, kind, val, v, _ in info:
                        if num < S and v is not None and (v or num == 0) and v < S and (v > 0 or kind == 1):
                            got = val; break
                    if got in self.tomb: got = None
                    if got != want:
                        return f'READ of row {row} at {S}: got {self.nm(got)}, must be {self.nm(want)}'
                    truth = [tc for tc, _ in hist if tc > S]
                    changed = False; first = None
                    for num, kind, val, v, inmap in info:
                        if num > S: changed = True
                        if kind == 0 and num <= S and inmap and not self.r['watchmap']: continue
                        if v is None or v > S: changed = True
                        if v and v > S: first = v if first is None else min(first, v)
                    if truth and not changed: return f'WATCH of row {row} at {S}: unchanged, but {truth[0]} is committed'
                    if (truth[0] if truth else None) != first and not (first is None and not truth):
                        return f'FIRST of row {row} after {S}: {first}, must be {truth}'
        return None
    @staticmethod
    def nm(v): return 'nothing' if v is None else 'the old value' if v == -1 else f'T{v}'

    # ---- transitions
    def oracle(self, nxt, tx, sw, bud, put, T):
        """What clients ask of the oracle, what it does by itself, and sweeps: whatever regions are like."""
        for i in range(self.n):
            ts, tc, s, cl, acked, left, clean, acks = tx[i]
            if s == NONE:
                if all(tx[j][2] != NONE for j in range(i)): put(f'begin T{i}={nxt}', nxt=nxt + 1, tx=T(i, ts=nxt, st=OPEN))
                continue
            if s == OPEN and cl == 1 and acked >= set(self.W[i]):
                bad = any(tx[j][2] == COM and tx[j][1] > ts and set(self.W[j]) & set(self.W[i]) for j in range(self.n) if j != i)
                if bad: put(f'T{i} conflicts', tx=T(i, st=ABO, cl=2))
                else: put(f'commit T{i}={nxt}', nxt=nxt + 1, tx=T(i, st=COM, tc=nxt, cl=2))
            if s == OPEN and self.abort: put(f'oracle aborts T{i}', tx=T(i, st=ABO))
            if s in (COM, ABO) and not left: put(f'T{i} leaves the window', tx=T(i, left=1))
            if s == COM and not clean and acks >= set(self.regs_of[i]): put(f'T{i} reported cleaned', tx=T(i, clean=1))
        if sw is None and bud.get('sweep', 0): put(f'sweep begins X={nxt}', nxt=nxt + 1, sw=(nxt, frozenset()), use='sweep')
        if sw and len(sw[1]) == self.ng:
            t2 = tuple(t[:6] + (1,) + t[7:] if t[2] == COM and t[1] < sw[0] else t for t in tx)
            put('swept', tx=t2, sw=None)
    def succ(self, st):
        nxt, tx, regs, sw, budt, rd = st
        bud = dict(budt); r = self.r; out = []
        def put(name, nxt=nxt, tx=tx, regs=regs, sw=sw, use=None, rd=rd):
            b = budt
            if use:
                d = dict(bud); d[use] -= 1; b = tuple(sorted(d.items()))
            out.append((name, (nxt, tx, regs, sw, b, rd)))
        def T(i, **k):
            t = list(tx[i])
            for a, v in k.items(): t[dict(ts=0, tc=1, st=2, cl=3, ack=4, left=5, clean=6, acks=7)[a]] = v
            return tx[:i] + (tuple(t),) + tx[i + 1:]
        def RG(g, **k):
            R = list(regs[g])
            for a, v in k.items(): R[getattr(self, a)] = v
            return regs[:g] + (self.prune(R),) + regs[g + 1:]
        W = self.watermark(st)
        self.oracle(nxt, tx, sw, bud, put, T)
        for g in range(self.ng):
            R = regs[g]
            if not R[self.UP]: self.opening(g, R, put, RG, bud, W); continue
            m = {e[0]: e for e in R[self.MAP]}; marks = self.marks(R); infl = R[self.INF]
            # writes
            for i in range(self.n):
                ts, tc, s, cl, acked, left, clean, acks = tx[i]
                if s == NONE: continue
                for row in self.W[i]:
                    if self.ro[row] != g: continue
                    orig = cl == 1 and row not in acked
                    dup = row in acked and bud.get('dup', 0) > 0
                    if not (orig or dup) or any(x[0] == i and x[1] == row for x in infl): continue
                    if ts < R[self.H]: continue
                    e = m.get(i)
                    if r['refuse'] and e and e[1] != 'P': continue
                    kinds = [False] if R[self.MODE] not in (0, 2) or r['allreal'] else [True, False] if self.mapfull else [True]
                    if r['withP'] and r['anchor'] and not R[self.MP]: kinds = [False, True]
                    for virt in kinds:
                        tok = (i, row, virt, orig)
                        nm = ('write' if orig else 'late duplicate') + f' T{i} row {row}' + ('' if virt else ' (real mark)')
                        if self.twostep: put(nm + ' admitted', regs=RG(g, INF=infl | {tok}), use=None if orig else 'dup')
                        else:
                            put(nm, regs=regs[:g] + (self.prune(self.apply(R, tx, tok, m)),) + regs[g + 1:],
                                tx=T(i, ack=acked | {row}) if orig else tx, use=None if orig else 'dup')
            for tok in infl:
                R2 = self.apply(R, tx, tok, m); R2[self.INF] = infl - {tok}
                put(f'applied T{tok[0]} row {tok[1]}', regs=regs[:g] + (self.prune(R2),) + regs[g + 1:],
                    tx=T(tok[0], ack=tx[tok[0]][4] | {tok[1]}) if tok[3] else tx)
            # decisions
            for i in range(self.n):
                t = tx[i]
                if t[2] == NONE: continue
                a, _ = self.answer(t)
                busy = r['claims'] and any(x[0] == i for x in infl)
                e = m.get(i)
                vmark = e is not None and e[1] == 'P' and len(e[2]) > 0
                outs = set()
                if t[2] in (COM, ABO): outs.add('A' if t[2] == ABO else 'C' if t[0] >= R[self.H] else r['forgotten'])
                if e and e[1] == 'P' and not busy and not r['layoutB']:
                    o2 = set(outs)
                    if a == 'RETRY' and vmark: o2 = o2 | {r['forgotten']}
                    for o in o2:
                        regs2 = RG(g, MAP=self.mput(R[self.MAP], (i, o, frozenset(), 0)),
                                   WAL=R[self.WAL] + ((('R', i, o),) if r['durable'] else ()))
                        put(f'region {g} decides T{i} {o}', regs=regs2)
                for row in self.W[i]:
                    if self.ro[row] != g or busy: continue
                    if (row, i) not in marks and not (r['layoutB'] and e and row in e[2]): continue
                    o2 = set(outs)
                    if a == 'RETRY': o2.add('A')
                    if r['mapwins'] and e and e[1] != 'P': o2 = {e[1]}
                    for o in o2: put(f'row {row} of T{i} moved {o}', regs=regs[:g] + (self.prune(self.move(R, i, row, o, t)),) + regs[g + 1:])
                if t[2] == COM and g in self.regs_of[i] and g not in t[7]:
                    real = any((row, i) in marks for row in self.W[i])
                    if not vmark and not (real and r['ackreal']): put(f'region {g} acknowledges cleanup of T{i}', tx=T(i, acks=t[7] | {g}))
                # entries go
                if e and e[1] != 'P' and (e[3] == 2 or r['drop'] == 'early' or r['drop'] == 'snap' and e[3] >= 1) \
                        and (not r['drophorizon'] or t[0] < R[self.H]):
                    put(f'region {g} drops the entry of T{i}', regs=RG(g, MAP=tuple(x for x in R[self.MAP] if x[0] != i)),
                        rd=rd[:3] + (rd[3] | 2,) if rd and self.ro[rd[0]] == g else rd)
            if sw and g not in sw[1]:
                pend = {i for (_, i) in marks}
                if r['sweepmap']: pend |= {e[0] for e in R[self.MAP] if e[1] == 'P' and e[2]}
                if not any(tx[i][2] == COM and tx[i][1] < sw[0] and not (tx[i][5] and tx[i][6]) for i in pend):
                    put(f'sweep visits region {g}', sw=(sw[0], sw[1] | {g}))
            self.reader(g, R, m, marks, tx, nxt, rd, bud, put)
            # horizon
            if W > R[self.H] and not infl: put(f'region {g} horizon {W}', regs=RG(g, H=W))
            # flush
            self.flush(g, R, put, RG, bud, m, rd)
            if bud.get('compact', 0) and R[self.SN] is None:
                n = len(R[self.FSD])
                for a, b in ([(0, n)] if n < 3 or not self.partial else [(0, n), (0, 2), (1, 3)]):
                    c = self.compact(R, a, b)
                    if c is not None: put(f'region {g} compacts D files {a}..{b - 1}', regs=RG(g, FSD=c), use='compact')
                if len(R[self.FSP]) > 1:
                    d = {}
                    for f in R[self.FSP]: d.update(f)
                    put(f'region {g} compacts P', regs=RG(g, FSP=(tuple(sorted(x for x in d.items() if x[1] == 'M')),)), use='compact')
            if bud.get('crash', 0): self.crash(g, R, put, RG)
        return out

    @staticmethod
    def mput(mp, e): return tuple(sorted([x for x in mp if x[0] != e[0]] + [e], key=lambda x: x[0]))
    def prune(self, R):
        R = list(R)
        k = min(R[self.FD], R[self.FP], R[self.AD], R[self.AP])
        if k and R[self.UP] and R[self.SN] is None:
            R[self.WAL] = R[self.WAL][k:]
            for x in (self.FD, self.FP, self.AD, self.AP): R[x] -= k
        if R[self.UP] and R[self.SN] is None and not R[self.MD] and not R[self.MP] and R[self.AD] == len(R[self.WAL]) == R[self.AP] \
                and R[self.FD] == len(R[self.WAL]) and all(self.no_p(x) for x in R[self.WAL][R[self.FP]:]):
            R[self.WAL] = (); R[self.FD] = R[self.FP] = R[self.AD] = R[self.AP] = 0
        return tuple(R)
    @staticmethod
    def no_p(x): return x[0] == 'R'
    def apply(self, R, tx, tok, m):
        i, row, virt, _ = tok; R = list(R); ts = tx[i][0]
        R[self.WAL] += (('W', i, row, ts),)
        R[self.MD] |= {(row, ts, 0, i)}
        if virt:
            if self.r['withP'] and self.r['anchor'] and not R[self.MP]:  # another row's mark came first, and is real
                R[self.WAL] = R[self.WAL][:-1] + (('O',),) + R[self.WAL][-1:]; R[self.MP] = (((-1, -1), 'X'),)
            e = m.get(i)
            if e is None: e = (i, 'P', frozenset(), 0)
            if e[1] == 'P': e = (i, 'P', e[2] | {row}, 0)
            R[self.MAP] = self.mput(R[self.MAP], e)
        else: R[self.MP] = self.pset(R[self.MP], (row, i), 'M')
        return R
    def move(self, R, i, row, o, t):
        R = list(R); has = any(c[0] == row and c[1] == t[0] and c[2] == 0 for c in self.cells(R))
        add = set(); raw = set(R[self.MD]); s = R[self.SN]
        if s and s[0] is not None: raw |= s[0]
        for f in R[self.FSD]: raw |= f
        if has or self.r['rawmove'] and any(c[0] == row and c[1] == t[0] and c[2] == 0 for c in raw):
            add.add((row, t[0], 2, None))
            if has and o == 'C': add.add((row, t[1], 1, i))
        R[self.WAL] += (('M', i, row, frozenset(add)),)
        R[self.MD] |= add
        if not (self.r['withP'] and any(e[0] == i and row in e[2] for e in R[self.MAP]) and (row, i) not in self.marks(R)):
            R[self.MP] = self.pset(R[self.MP], (row, i), 'X')
        if self.r['layoutB']:
            R[self.MAP] = tuple(y for y in ((e[0], e[1], e[2] - {row} if e[0] == i else e[2], e[3]) for e in R[self.MAP]) if y[2])
        return R

    def scan(self, cells, row, mp, tcs, tss):
        """What a flush of D writes of a row."""
        res = set()
        for c in cells:
            if c[0] != row: continue
            if c[2] == 0 and mp.get(c[3]) == 'C': res.add((row, tcs[c[3]], 1, c[3]))
            elif c[2] == 0 and mp.get(c[3]) in ('A', 'G'): pass
            else: res.add(c)
        dead = {(x[0], x[1]) for x in cells if x[2] == 2}
        return {x for x in res if not (x[2] == 0 and (x[0], x[1]) in dead)}
    def purge(self, cells, H, tombs_go):
        res = set()
        for row in {c[0] for c in cells}:
            covered = False
            for c in sorted((c for c in cells if c[0] == row), key=lambda c: (-c[1], -c[2])):
                if c[2] == 2 or c[1] >= H: res.add(c); continue
                if covered: continue
                if c[2] == 1:
                    covered = True
                    if tombs_go and c[3] in self.tomb: continue
                res.add(c)
        return res

    def flush(self, g, R, put, RG, bud, m, rd):
        r = self.r; s = R[self.SN]; infl = R[self.INF]
        if s is None:
            if r['withP']:
                for st in ('D', 'P', 'DP'):
                    if infl or not bud.get('flush', 0) or not R[self.MD] and not R[self.MP]: continue
                    k = dict(SN=(R[self.MD] if 'D' in st else None, R[self.MP] if 'P' in st else None, len(R[self.WAL]), frozenset(), 0,
                                 () if 'P' not in st or not R[self.MP] or not r['writesmap'] else None, 0))
                    if 'D' in st: k['MD'] = frozenset()
                    if 'P' in st: k['MP'] = ()
                    put(f'region {g} snapshot {st}', regs=RG(g, **k), use='flush')
            elif R[self.MODE] == 0 and bud.get('flush', 0):
                if not (r['drain'] and any(x[2] for x in infl)): self.materialise(g, R, put, RG)
            if not r['withP'] and R[self.MODE] and not infl:
                for st in ('D', 'P', 'DP'):
                    if not R[self.MD] and not R[self.MP]: continue
                    if st == 'P' and all(self.no_p(x) for x in R[self.WAL][R[self.AP]:]): continue
                    mp = R[self.MAP]
                    if 'D' in st: mp = tuple(e[:3] + (1,) if e[1] != 'P' else e for e in mp)
                    snap = (R[self.MD] if 'D' in st else None, R[self.MP] if 'P' in st else None, len(R[self.WAL]), frozenset(), 0,
                            R[self.MODE] if r['frozen'] else None, 0)
                    k = dict(SN=snap, MAP=mp, MODE=0)
                    if 'D' in st: k['MD'] = frozenset()
                    if 'P' in st: k['MP'] = ()
                    put(f'region {g} snapshot {st}', regs=RG(g, **k), use='flush')
            elif not r['withP'] and R[self.MODE] == 0 and not infl and bud.get('flush', 0) and (r['mat'] != 'all' or not r['realmode']):
                kinds = {'none': ('D', 'P', 'DP'), 'D': ('P',), 'noclose': ('DP',), 'all': ()}[r['mat']]
                if not r['realmode']: kinds = ()
                for st in kinds:
                    if not R[self.MD] and not R[self.MP] or st == 'P' and all(self.no_p(x) for x in R[self.WAL][R[self.AP]:]): continue
                    mp = tuple(e[:3] + (1,) if e[1] != 'P' and 'D' in st else e for e in R[self.MAP])
                    k = dict(SN=(R[self.MD] if 'D' in st else None, R[self.MP] if 'P' in st else None, len(R[self.WAL]), frozenset(), 0, None, 0), MAP=mp)
                    if 'D' in st: k['MD'] = frozenset()
                    if 'P' in st: k['MP'] = ()
                    put(f'region {g} snapshot {st}, nothing materialised', regs=RG(g, **k), use='flush')
            # close and open elsewhere (move, split, merge): everything is flushed, the map is gone
            if bud.get('close', 0) and not R[self.MD] and not R[self.MP] and not infl and (R[self.MAP] or R[self.WAL]):
                put(f'region {g} closes and opens', regs=RG(g, MAP=(), WAL=(), FD=0, FP=0, AD=0, AP=0, MODE=0, OPN=('H',), UP=0), use='close', rd=None)
            return
        D, P, pos, tmp, nrow, fz, done = s
        rows = self.rows_in[g]
        if r['withP'] and P is not None and fz is None:
            # The flush of P begins to write. What it takes from the map is real from now on. It is younger than a delete
            # in memory, by its sequence number, which this model leaves out: so that delete goes here.
            if infl and r['barrier']: return
            P2 = P; MP2 = R[self.MP]
            for e in R[self.MAP]:
                for row in e[2]:
                    P2 = self.pset(P2, (row, e[0]), 'M')
                    MP2 = tuple(x for x in MP2 if x[0] != (row, e[0]))
            put(f'region {g} flush takes the marks of the map', regs=RG(g, SN=(D, P2, pos, tmp, nrow, (), done), MP=MP2, MAP=()))
            if D is None: return
        if D is not None and nrow < len(rows):
            mp = {} if r['withP'] else dict((e[0], e[1]) for e in R[self.MAP]) if fz is None else dict(fz)
            todo = rows[nrow:nrow + 1] if self.scanstep else rows[nrow:]
            tmp2 = set(tmp)
            for row in todo: tmp2 |= self.scan(D, row, mp, self.tcs, None)
            put(f'region {g} flush writes rows {todo}', regs=RG(g, SN=(D, P, pos, frozenset(tmp2), nrow + len(todo), fz, done)))
        if D is not None and nrow == len(rows) and not done & 1:
            new = frozenset(self.purge(tmp, R[self.H], False))
            k = dict(SN=(None, P, pos, frozenset(), nrow, fz, done | 1), FSD=R[self.FSD] + ((new,) if D else ()))
            if D: k['FD'] = pos
            if rd and self.ro[rd[0]] == g:  # HBase seeks open scanners anew, to the cell at which they stand
                view = set(); top = max((c[1:3] for c in rd[2]), default=(9999, 9))
                for c in rd[2]:
                    if c not in D or c in new: view.add(c)
                    else:
                        c2 = (c[0], self.tcs[c[3]], 1, c[3])
                        if c[2] == 0 and c2 in new and c2[1:3] <= top: view.add(c2)
                rd = (rd[0], rd[1], frozenset(view), rd[3] | 1)
            self.end(R, k, g, put, RG, 'D', rd)
        if P is not None and not done & 2 and not (r['withP'] and fz is None):
            k = dict(SN=(D, None, pos, tmp, nrow, fz, done | 2), FSP=R[self.FSP] + ((P,) if P else ()))
            if P: k['FP'] = pos
            self.end(R, k, g, put, RG, 'P', rd)
    def end(self, R, k, g, put, RG, what, rd):
        s = k['SN']
        if s[0] is None and s[1] is None:
            k['SN'] = None
            if s[6] & 1: k['AD'] = s[2]; k['MAP'] = tuple(e[:3] + (2,) if e[1] != 'P' and e[3] == 1 else e for e in R[self.MAP])
            if s[6] & 2: k['AP'] = s[2]
        put(f'region {g} flush commits {what}', regs=RG(g, **k), rd=rd)
    def materialise(self, g, R, put, RG):
        wal = R[self.WAL]; mp = []; P = R[self.MP]
        fz = tuple((e[0], e[1]) for e in R[self.MAP] if e[1] != 'P')
        for e in R[self.MAP]:
            if e[1] != 'P': mp.append(e); continue
            for row in sorted(e[2]): wal += (('K', e[0], row),); P = self.pset(P, (row, e[0]), 'M')
        if self.r['mat'] == 'none': return
        put(f'region {g} materialises marks', regs=RG(g, WAL=wal, MAP=tuple(mp), MP=P, MODE=(fz or ((-1, 'x'),)) if self.r['frozen'] else 1 if self.r['realmode'] else 2))
    def compact(self, R, a, b):
        fs = R[self.FSD]
        if b - a < 1 or b > len(fs): return None
        c = set().union(*fs[a:b]); full = (a, b) == (0, len(fs))
        dead = {(x[0], x[1]) for x in c if x[2] == 2}
        c = {x for x in c if not (x[2] == 0 and (x[0], x[1]) in dead)}
        if full: c = {x for x in c if x[2] != 2}
        c = self.purge(c, R[self.H], full and not R[self.MD] and R[self.SN] is None)
        new = fs[:a] + (frozenset(c),) + fs[b:]
        return new if new != fs else None
    def crash(self, g, R, put, RG):
        if not R[self.UP] and R[self.OPN] == ('H',): return
        seen = set()
        for lv in ('files', 'reported'):
            skD, skP = (R[self.FD], R[self.FP]) if lv == 'files' else (max(R[self.FD], R[self.AD]), max(R[self.FP], R[self.AP]))
            if (skD, skP) in seen: continue
            seen.add((skD, skP))
            mp = ()
            if self.r['prescan']:
                for k, x in enumerate(R[self.WAL]):
                    if x[0] == 'R' and k >= (skD if self.r['rec'] == 'D' else skP): mp = self.mput(mp, (x[1], x[2], frozenset(), 0))
            put(f'region {g} crashes (replay skips by {lv}: D {skD}, P {skP} of {len(R[self.WAL])})',
                regs=RG(g, UP=0, OPN=(0, skD, skP, 0), MD=frozenset(), MP=(), SN=None, MAP=mp, INF=frozenset(), MODE=0), use='crash', rd=None)
    def opening(self, g, R, put, RG, bud, W):
        if R[self.OPN] == ('H',): put(f'region {g} is open', regs=RG(g, UP=1, OPN=None, H=max(W, R[self.H]))); return
        idx, skD, skP, stage = R[self.OPN]; wal = R[self.WAL]
        if bud.get('crash', 0): self.crash(g, R, put, RG)
        mp = {e[0]: e[1] for e in R[self.MAP]}
        def written(cells):
            res = set()
            for row in self.rows_in[g]: res |= self.scan(cells, row, mp, self.tcs, None)
            return frozenset(res)
        if idx < len(wal):
            x = wal[idx]; k = dict(OPN=(idx + 1, skD, skP, 0)); d = idx >= skD; p = idx >= skP
            if x[0] == 'W':
                if d: k['MD'] = R[self.MD] | {(x[2], x[3], 0, x[1])}
                if p: k['MP'] = self.pset(R[self.MP], (x[2], x[1]), 'M')
            elif x[0] == 'O' and p: k['MP'] = self.pset(R[self.MP], (-1, -1), 'X')
            elif x[0] == 'K' and p: k['MP'] = self.pset(R[self.MP], (x[2], x[1]), 'M')
            elif x[0] == 'M':
                if d: k['MD'] = R[self.MD] | x[3]
                if p: k['MP'] = self.pset(R[self.MP], (x[2], x[1]), 'X')
            elif x[0] == 'R' and (d if self.r['rec'] == 'D' else p): k['MAP'] = self.mput(R[self.MAP], (x[1], x[2], frozenset(), 0))
            put(f'region {g} replays {x[:3]}' + ('' if d and p else ' without ' + ('D' if not d else '') + ('P' if not p else '')), regs=RG(g, **k))
            if bud.get('replayflush', 0) and (R[self.MD] or R[self.MP]):
                k = dict(MD=frozenset(), MP=())
                if R[self.MD]: k['FSD'] = R[self.FSD] + (written(R[self.MD]),); k['FD'] = idx
                if R[self.MP]: k['FSP'] = R[self.FSP] + (R[self.MP],); k['FP'] = idx
                put(f'region {g} flushes amid replay', regs=RG(g, **k), use='replayflush')
            return
        # final flush, store by store, then the recovered edits go
        if not stage & 1:
            k = dict(OPN=(idx, skD, skP, stage | 1), MD=frozenset())
            if R[self.MD]: k['FSD'] = R[self.FSD] + (written(R[self.MD]),); k['FD'] = len(wal)
            put(f'region {g} replay flush commits D', regs=RG(g, **k))
        if not stage & 2:
            k = dict(OPN=(idx, skD, skP, stage | 2), MP=())
            if R[self.MP]: k['FSP'] = R[self.FSP] + (R[self.MP],); k['FP'] = len(wal)
            put(f'region {g} replay flush commits P', regs=RG(g, **k))
        if stage == 3: put(f'region {g} replayed', regs=RG(g, OPN=('H',), WAL=(), FD=0, FP=0, AD=0, AP=0, MAP=()))

    def reader(self, g, R, m, marks, tx, nxt, rd, bud, put):
        """A read that is not atomic: the scanner is opened and stands at the first cell of a row; later the row is read, and
        map, marks and oracle are asked. What such a read does again from the start counts as one that check() has tested."""
        if rd is None:
            if bud.get('reader', 0):
                for row in self.rows_in[g]:
                    view = frozenset(c for c in self.cells(R) if c[0] == row)
                    put(f'reader at {nxt} opens a scanner at row {row}', nxt=nxt + 1, rd=(row, nxt, view, 0), use='reader')
            return
        if self.ro[rd[0]] != g: return
        row, S, view, ev = rd
        if S < R[self.H] or ev & 1 and self.r['rereadflush']: put('the reader reads again', rd=None); return
        byts = {t[0]: i for i, t in enumerate(tx) if t[0]}; got = None
        for c in sorted(view, key=lambda c: (-c[1], -c[2])):
            if c[1] >= S: continue
            if c[2] == 1: got = c[3]; break
            i = byts[c[1]]; e = m.get(i)
            if e and e[1] == 'G' and self.r['rereadmiss']: put('the reader reads again', rd=None); return
            if e and e[1] != 'P': v = tx[i][1] if e[1] == 'C' else 0
            elif (row, i) in marks or e is not None and row in e[2]:
                a, tc = self.answer(tx[i]) if c[1] >= R[self.H] else ('RETRY', 0)
                if a == 'RETRY' and self.r['rereadmiss']: put('the reader reads again', rd=None); return
                v = tc if a == 'COM' else 0
            elif self.r['rereadmiss']: put('the reader reads again', rd=None); return
            else: v = c[1]
            if v and v < S: got = c[3]; break
        want = -1
        for tc, i in sorted((t[1], i) for i, t in enumerate(tx) if t[2] == COM and row in self.W[i]):
            if tc < S: want = i
        if want in self.tomb: want = None
        if got in self.tomb: got = None
        put(f'the reader reads row {row}', rd=None if got == want else
            ('BAD', f'the reader at {S} got {self.nm(got)} of row {row}, must be {self.nm(want)}'))

    # ---- search
    def run(self, limit=10**9, seconds=10**9, quiet=False):
        t0 = time.time(); s0 = self.init()
        if quiet: return self.run_hashed(s0, t0, limit, seconds)
        seen = {s0: None}; todo = deque([s0]); n = 0
        while todo:
            s = todo.popleft(); n += 1
            self.tcs = {i: t[1] for i, t in enumerate(s[1])}
            for name, s2 in self.succ(s):
                if s2 in seen: continue
                seen[s2] = (s, name)
                bad = self.check(s2)
                if bad: return 'BAD', len(seen), time.time() - t0, bad, self.trace(seen, s2)
                todo.append(s2)
            if len(seen) > limit or time.time() - t0 > seconds: return 'CUT', len(seen), time.time() - t0, '', []
        return 'OK', len(seen), time.time() - t0, '', []
    def run_hashed(self, s0, t0, limit, seconds):
        """As run(), with 64-bit hashes of states instead of the states: a tenth of the memory, no trace."""
        seen = {hash(s0)}; todo = deque([s0])
        while todo:
            s = todo.popleft()
            self.tcs = {i: t[1] for i, t in enumerate(s[1])}
            for name, s2 in self.succ(s):
                h = hash(s2)
                if h in seen: continue
                seen.add(h)
                bad = self.check(s2)
                if bad: return 'BAD', len(seen), time.time() - t0, bad, [name]
                todo.append(s2)
            if len(seen) > limit or time.time() - t0 > seconds: return 'CUT', len(seen), time.time() - t0, f'{len(todo)} in the queue', []
        return 'OK', len(seen), time.time() - t0, '', []
    @staticmethod
    def trace(seen, s):
        res = []
        while seen[s]: s, name = seen[s]; res.append(name)
        return res[::-1]


# name, writes per transaction (rows), region of each row, budgets, options
SUITES = {
    'small': ([[0]], [0], dict(flush=1, crash=1, dup=1, replayflush=1), {}),
    'reader': ([[0]], [0], dict(flush=1, reader=1, dup=1, sweep=0), dict(twostep=False)),
    'reader2': ([[0], [0]], [0], dict(flush=1, reader=1), dict(twostep=False)),
    'close': ([[0]], [0], dict(flush=1, crash=1, close=1, sweep=1), dict(twostep=False)),
    'dups': ([[0]], [0], dict(flush=2, dup=2), dict(mapfull=True, abort=False)),
    'crashes': ([[0]], [0], dict(flush=1, crash=2, dup=1, replayflush=1), dict(twostep=False)),
    'flushes': ([[0]], [0], dict(flush=2, crash=1, dup=1, compact=1), dict(twostep=False)),
    'tworows': ([[0, 1]], [0, 0], dict(flush=1, crash=1), {}),
    'two-crash': ([[0], [0]], [0], dict(flush=1, crash=1), dict(twostep=False, abort=False)),
    'tomb-small': ([[0], [0]], [0], dict(flush=1, compact=1), dict(twostep=False, abort=False, tomb=(1,))),
    'regions-small': ([[0, 1]], [0, 1], dict(crash=1, flush=1), dict(twostep=False, scanstep=False, abort=False)),
    'reader2-small': ([[0], [0]], [0], dict(flush=1, reader=1), dict(twostep=False, abort=False)),
    # the following are too large for an hour of a slow machine; they end with CUT if seconds are given
    'tworegions': ([[0, 1]], [0, 1], dict(flush=1, crash=1), dict(scanstep=False, twostep=False)),
    'two': ([[0], [0]], [0], dict(flush=1, crash=1), dict(twostep=False)),
    'tombstone': ([[0], [0]], [0], dict(flush=2, compact=1), dict(twostep=False, tomb=(1,))),
}
MEMORY = dict(layoutB=True, withP=True)
BROKEN = {
    'no-marks-before-flush': dict(mat='none'),
    'marks-only-before-flushes-of-D': dict(mat='D'),
    'no-marks-before-close': dict(mat='noclose'),
    'marks-but-new-ones-stay-virtual': dict(realmode=False),
    'marks-without-drain': dict(drain=False),
    'record-in-family-of-marks': dict(rec='P'),
    'no-prescan': dict(prescan=False),
    'not-durable': dict(durable=False),
    'no-claims': dict(claims=False),
    'no-refusal': dict(refuse=False),
    'entry-dropped-at-snapshot': dict(drop='snap'),
    'entry-dropped-early': dict(drop='early'),
    'sweep-blind-for-map': dict(sweepmap=False),
    'frozen-map': dict(frozen=True),
    'watch-blind-for-map': dict(watchmap=False),
    'acknowledged-with-real-marks': dict(ackreal=False),
    'scanner-goes-on-over-flush': dict(rereadflush=False),
    'no-second-read-on-a-miss': dict(rereadmiss=False),
    'forgotten-taken-for-aborted': dict(forgotten='A'),
    'cleanup-blind-for-hidden-cells': dict(rawmove=False),
    'todays-layout-cleanup-blind-for-hidden-cells': dict(rawmove=False, allreal=True),
    'request-wins-over-map': dict(mapwins=False),
    'memory: flush-without-the-map': dict(MEMORY, writesmap=False),
    'memory: map-without-a-cell-in-memory': dict(MEMORY, anchor=False),
    'memory: marks-written-amid-a-batch': dict(MEMORY, barrier=False),
    'memory: sweep-blind-for-map': dict(MEMORY, sweepmap=False),
    'memory: no-second-read-on-a-miss': dict(MEMORY, rereadmiss=False),
    'memory: cleanup-blind-for-hidden-cells': dict(MEMORY, rawmove=False),
}

def build(name, rules=None):
    w, ro, b, o = SUITES[name]
    return Model(w, ro, b, rules, **o)

if __name__ == '__main__':
    what = sys.argv[1] if len(sys.argv) > 1 else 'all'
    only = sys.argv[2] if len(sys.argv) > 2 else ''
    secs = float(sys.argv[3]) if len(sys.argv) > 3 else 10**9
    if what in ('all', 'rules'):
        for name in SUITES:
            if only and name != only: continue
            res = build(name).run(seconds=secs, quiet=True)
            print(f'{name:16} {res[0]} {res[1]:>9} states {res[2]:7.0f} s {res[3]}', flush=True)
            for x in res[4]: print('      ', x)
    if what in ('all', 'memory', 'B', 'real'):
        for name in SUITES:
            if only and name != only: continue
            for label, rules in (('memory', MEMORY), ('B', dict(layoutB=True)), ('real', dict(allreal=True))):
                if what not in ('all', label): continue
                res = build(name, rules).run(seconds=secs, quiet=True)
                print(f'layout {label}: {name:16} {res[0]} {res[1]:>9} states {res[2]:7.0f} s {res[3]}', flush=True)
    if what in ('all', 'broken'):
        for name, rules in BROKEN.items():
            if only and name != only: continue
            found = None
            for suite in ("reader", "close", "small", "flushes", "crashes", "dups"):
                res = build(suite, rules).run(seconds=min(secs, 60))
                if res[0] == 'BAD': found = res; break
            print(f"{name}: {'none found' if not found else suite + ', ' + str(found[1]) + ' states: ' + found[3]}", flush=True)
            for x in (found[4] if found else []): print('      ', x)
