package io.retso.oracle;

import io.retso.oracle.rows.GranuleStripes;
import io.retso.oracle.rows.RowStripes;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;

/**
 * Random requests in batches, and beside the oracle a plain list of all that committed: what is
 * said of each refusal must be in that list. Answers how many explanations of a seed were right.
 */
final class RandomRefusals implements LongUnaryOperator {
  private static final int STRIPES = 1 << 10;
  private static final int ROUNDS = 500;
  private static final int WINDOW = 1 << 9;

  /** Rows of the larger requests: they are alone in their batch. */
  private static final int LARGE = 2 * CommitBatch.ROWS_ENOUGH;

  /** One that committed. */
  private record Committed(long commit, Request request) {}

  /** One request, whose lists are in the order of the batch. */
  private record Request(long start, boolean serializable, List<long[]> lists) {
    long[] ids() {
      return lists.stream().flatMapToLong(Arrays::stream).toArray();
    }

    /** The list that has a place. */
    int listOf(int place) {
      int end = 0;
      for (int list = 0; list < lists.size(); list++) {
        end += lists.get(list).length;
        if (place < end) {
          return list;
        }
      }
      throw new AssertionError("place " + place + " is none of " + end);
    }

    boolean has(int list, long id) {
      return LongStream.of(lists.get(list)).anyMatch(other -> other == id);
    }
  }

  private static final int WRITES = 0;
  private static final int VALIDATED = 1;
  private static final int READS = 2;
  private static final int RANGE_READS = 3;
  private static final int RANGE_WRITES = 4;

  private final Map<Long, Integer> counts = new TreeMap<>();
  private Random random;
  private StatusOracle oracle;
  private boolean evicts;
  private long[] rows;
  private long[] granules;
  private List<Committed> all;
  private final CommitBatch batch = new CommitBatch(LARGE);

  /** How often each outcome was explained by an id, over all seeds. */
  Map<Long, Integer> counts() {
    return counts;
  }

  @Override
  public long applyAsLong(long seed) {
    random = new Random(seed * 0x9E3779B97F4A7C15L); // neighbours begin alike
    evicts = random.nextInt(4) == 0;
    oracle = new StatusOracle(evicts ? 20 : STRIPES, WINDOW, 1 << 15, Changes.NONE, 0);
    rows = apart(3 + random.nextInt(60), true);
    granules = apart(1 + random.nextInt(6), false);
    all = new ArrayList<>();
    List<Long> open = new ArrayList<>();
    long explained = 0;
    for (int round = 0; round < ROUNDS; round++) {
      for (int i = random.nextInt(30); i >= 0; i--) {
        open.add(oracle.begin(1));
      }
      if (random.nextInt(50) == 0) {
        oracle.safeSnapshot();
      }
      explained += decide(open);
    }
    return explained;
  }

  /** Ids of which each has a stripe of its own. */
  private long[] apart(int count, boolean areRows) {
    long[] ids = random.longs(4L * count + 100).toArray();
    int[] stripes = new int[ids.length];
    if (areRows) {
      new RowStripes(STRIPES).locate(ids, 0, ids.length, stripes);
    } else {
      new GranuleStripes(STRIPES).locate(ids, 0, ids.length, stripes);
    }
    Map<Integer, Long> found = new TreeMap<>();
    for (int i = 0; i < ids.length && found.size() < count; i++) {
      found.putIfAbsent(stripes[i], ids[i]);
    }
    return found.values().stream().mapToLong(Long::longValue).toArray();
  }

  private long[] some(long[] from, int most) {
    return random.ints(random.nextInt(most + 1), 0, from.length).mapToLong(i -> from[i]).toArray();
  }

  private Request request(long start) {
    boolean large = evicts && random.nextInt(200) == 0;
    long[] writes = large ? random.longs(LARGE - 100).map(id -> id | 1).toArray() : some(rows, 3);
    if (large) {
      writes[random.nextInt(writes.length)] = rows[0];
    }
    boolean plain = random.nextInt(3) == 0;
    long[] none = {};
    return new Request(
        start,
        !plain && random.nextInt(4) > 0,
        List.of(
            writes,
            plain ? none : some(rows, 1),
            plain ? none : some(rows, 4),
            plain ? none : some(granules, 1),
            plain ? none : some(granules, 1)));
  }

  /** Lets some of those that are open ask to commit. */
  private long decide(List<Long> open) {
    List<Request> asked = new ArrayList<>();
    batch.clear();
    for (int i = Math.min(open.size(), random.nextInt(CommitBatch.COMMITS_MAX)); i > 0; i--) {
      Request request = request(open.remove(random.nextInt(open.size())));
      long[] ids = request.ids();
      if (!batch.hasRoomFor(ids.length)) {
        break; // its client gives it up
      }
      List<long[]> lists = request.lists;
      int at =
          batch.add(
              request.start,
              random.nextInt(10) == 0,
              request.serializable,
              lists.get(WRITES).length,
              lists.get(VALIDATED).length,
              lists.get(READS).length,
              lists.get(RANGE_READS).length,
              lists.get(RANGE_WRITES).length);
      System.arraycopy(ids, 0, batch.rows(), at, ids.length);
      asked.add(request);
    }
    long below = oracle.windowLow();
    oracle.commit(batch);
    int explained = 0;
    for (int i = 0; i < asked.size(); i++) {
      explained += judge(asked.get(i), i, below);
    }
    return explained;
  }

  private int judge(Request request, int i, long windowLow) {
    long outcome = batch.outcome(i);
    int offending = batch.offending(i);
    if (outcome > 0) {
      all.add(new Committed(outcome, request));
    }
    boolean decidedNow = Outcome.isExplained(outcome) && request.start >= windowLow;
    if (!decidedNow || offending == Refusals.NONE) {
      // A transaction may leave the window by the commits of its own batch.
      require(!decidedNow || outcome == Outcome.ABORTED_TOO_OLD, request, i, "no id is named");
      require(offending == Refusals.NONE, request, i, "an id is named");
      require(batch.met(i) == 0 && batch.alsoRead(i) == Refusals.NONE, request, i, "it is known");
      return 0;
    }
    long id = request.ids()[offending];
    require(id == batch.id(i, offending), request, i, "another id");
    int list = request.listOf(offending);
    boolean byRead = Outcome.isNotSerializable(outcome);
    require(
        byRead ? list == READS || list == RANGE_READS : list == WRITES || list == VALIDATED,
        request,
        i,
        "of list " + list);
    if (outcome == Outcome.ABORTED_TOO_OLD || evicts && byRead && batch.met(i) == 0) {
      require(evicts && batch.met(i) == 0, request, i, "it remembers all");
    } else {
      long changed = lastChange(list == RANGE_READS ? RANGE_WRITES : WRITES, id);
      require(batch.met(i) == changed && changed > request.start, request, i, "at " + changed);
    }
    judgeRead(request, i, outcome);
    counts.merge(outcome, 1, Integer::sum);
    return 1;
  }

  private long lastChange(int list, long id) {
    long last = 0;
    for (int j = all.size() - 1; j >= 0 && last == 0; j--) {
      last = all.get(j).request.has(list, id) ? all.get(j).commit : 0;
    }
    return last;
  }

  private void judgeRead(Request request, int i, long outcome) {
    int alsoRead = batch.alsoRead(i);
    if (alsoRead == Refusals.NONE) {
      return;
    }
    require(outcome == Outcome.ABORTED_PIVOT, request, i, "it is no pivot");
    long id = request.ids()[alsoRead];
    int list = request.listOf(alsoRead);
    require(list == WRITES || list == RANGE_WRITES, request, i, "what is read is written");
    if (list == WRITES && LongStream.of(rows).noneMatch(row -> row == id)) {
      return; // of a large request: others may share its stripe
    }
    int reads = list == WRITES ? READS : RANGE_READS;
    boolean wasRead =
        all.stream()
            .filter(other -> other.commit > request.start && other.request.serializable)
            .anyMatch(
                other ->
                    other.request.has(reads, id)
                        || list == WRITES && other.request.has(VALIDATED, id));
    require(wasRead, request, i, "it was read");
  }

  private void require(boolean right, Request request, int i, String what) {
    if (!right) {
      throw new AssertionError(
          what
              + ": request "
              + i
              + " that began at "
              + request.start
              + ", "
              + Outcome.nameOf(batch.outcome(i))
              + " by id "
              + batch.offending(i)
              + " and the commit at "
              + batch.met(i)
              + ", read id "
              + batch.alsoRead(i)
              + ", now "
              + (oracle.nextTimestamp() >>> Timestamps.GAP_BITS));
    }
  }
}
