package io.retso.simulator;

import io.retso.client.CommitRequest;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a transaction of a world with serializable ones has read, and what it says of that when it
 * asks to commit. Rows are what the judge looks at; granules are only for the oracle.
 */
final class Footprint {
  /** Rows of a granule; a scan reads all of one. */
  static final int GRANULE_ROWS = 4;

  /** Ids of one request at most: each step adds one or two. */
  static final int IDS_MAX = 2 * Sizes.TRANSACTION_ROWS;

  /** No row has such an id. */
  private static final long GRANULES = 1L << 40;

  /** Its reads are certified. */
  final boolean serializable;

  /** It does not write; if it is serializable, it has a start timestamp of its own. */
  final boolean readOnly;

  private final Set<Long> reads = new LinkedHashSet<>();
  private final Set<Long> scanned = new LinkedHashSet<>();
  private final Set<Long> validated = new LinkedHashSet<>();
  private final Set<Long> locked = new LinkedHashSet<>();

  Footprint(boolean serializable, boolean readOnly) {
    this.serializable = serializable;
    this.readOnly = readOnly;
  }

  void read(long row) {
    reads.add(row);
  }

  void validated(long row) {
    reads.add(row);
    validated.add(row);
  }

  void locked(long row) {
    reads.add(row);
    locked.add(row);
  }

  void scanned(long granule) {
    scanned.add(granule);
  }

  /** The rows that it must find unchanged at its place in the serial order. */
  Set<Long> readRows() {
    Set<Long> rows = new TreeSet<>();
    if (serializable) {
      rows.addAll(reads);
      scanned.forEach(
          granule -> {
            for (long row = 0; row < GRANULE_ROWS; row++) {
              rows.add(granule * GRANULE_ROWS + row);
            }
          });
    }
    return rows;
  }

  /** The rows that no other may change between its start and its commit. */
  Set<Long> validatedRows() {
    return validated;
  }

  /** The rows besides those it writes that no other may write or lock from start to commit. */
  Set<Long> lockedRows() {
    return locked;
  }

  /**
   * What it asks.
   *
   * @param granules whether writers name the granules of their rows
   */
  CommitRequest request(long start, Set<Long> written, boolean granules) {
    locked.removeAll(written);
    Set<Long> inMap = new LinkedHashSet<>(written);
    inMap.addAll(locked);
    Set<Long> certified = new LinkedHashSet<>(reads);
    certified.removeAll(inMap); // no other has changed these if it commits
    CommitRequest request =
        CommitRequest.of(SimulatedClient.handle(start))
            .withWrites(ids(inMap))
            .withValidated(ids(validated))
            .withReads(ids(certified))
            .withRangeReads(scanned.stream().mapToLong(granule -> GRANULES + granule).toArray());
    if (granules) {
      request =
          request.withRangeWrites(
              written.stream().mapToLong(Footprint::granuleId).distinct().toArray());
    }
    return serializable ? request.serializable() : request;
  }

  private static long granuleId(long row) {
    return GRANULES + row / GRANULE_ROWS;
  }

  private static long[] ids(Set<Long> rows) {
    return rows.stream().mapToLong(Long::longValue).toArray();
  }
}
