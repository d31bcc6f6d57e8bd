package io.retso.hbase.resolve;

import io.retso.client.TransactionStatus;
import io.retso.hbase.layout.Outcome;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * What one reader knows of the writers whose marks it met: the shared cache of decided
 * transactions, and what the oracle answered to this reader.
 *
 * <p>It may serve all reads at one read timestamp, as {@code OPEN} holds for the reader that asked:
 * such a writer will commit above it, if at all.
 *
 * <p><strong>Forgotten writers.</strong> The oracle's {@code RETRY} says that the writer was
 * cleaned up or aborted. A row that was read before the answer must be read again; in one whose
 * read began after it, a mark that is still there means aborted. {@link #moment()}, taken before a
 * read is sent, tells the two apart.
 *
 * <p>Bounded by {@link #trim()}. Not thread-safe: one request at a time.
 */
public final class WriterStatuses {
  /** Beside the values of {@link Outcome}: it will commit above the reader, if at all. */
  static final long OPEN = -2;

  /**
   * Read the row again. Also the base of stored values: {@code FORGOTTEN - moment of the answer}.
   */
  static final long FORGOTTEN = -3;

  /** The moment of a row that is to be read again for each writer that was forgotten. */
  public static final long BEFORE_ALL_ANSWERS = 0;

  private static final int WRITERS_MAX = 1 << 16;

  private final StatusCache cache;
  private final Map<Long, Long> answers = new HashMap<>();
  private final Set<Long> unknown = new LinkedHashSet<>();
  private long moment;

  /** A reader that knows what {@code cache} knows, and adds what it learns. */
  public WriterStatuses(StatusCache cache) {
    this.cache = cache;
  }

  /** Take it before a read is sent, and give it to the {@link SnapshotRow}s that come back. */
  public long moment() {
    return moment;
  }

  /**
   * Start timestamps of the writers that {@link SnapshotRow#resolve} asked for and that {@link
   * #learn} has not answered yet: each is to be asked, with the reader's own timestamp.
   */
  public long[] unknown() {
    return unknown.stream().mapToLong(Long::longValue).toArray();
  }

  /** Takes the oracle's answer about one writer. */
  public void learn(long start, TransactionStatus status) {
    switch (status.state()) {
      case COMMITTED -> committed(start, status.commitTimestamp());
      case ABORTED -> aborted(start);
      case OPEN -> open(start);
      case RETRY -> forgotten(start);
    }
  }

  void committed(long start, long commitTimestamp) {
    cache.committed(start, commitTimestamp);
    answered(start, commitTimestamp);
  }

  void aborted(long start) {
    cache.aborted(start);
    answered(start, Outcome.ABORTED);
  }

  void open(long start) {
    answered(start, OPEN);
  }

  void forgotten(long start) {
    answered(start, FORGOTTEN - ++moment);
  }

  private void answered(long start, long answer) {
    unknown.remove(start);
    answers.put(start, answer);
  }

  /**
   * Forgets answers if there are very many (2^16); they can be asked again. To be called between
   * the rows of a long scan, when no row waits for an answer.
   */
  public void trim() {
    if (answers.size() > WRITERS_MAX) {
      answers.clear();
    }
  }

  /**
   * The {@link Outcome}, or one of the states above.
   *
   * @param readMoment the moment before the read in which the writer's mark was found
   */
  long of(long start, long readMoment) {
    Long answer = answers.get(start);
    if (answer == null) {
      long cached = cache.get(start);
      if (Outcome.isKnown(cached)) {
        answers.put(start, cached); // or it could be displaced while this request asks about others
      }
      return cached;
    }
    if (answer > FORGOTTEN) {
      return answer;
    }
    return readMoment >= FORGOTTEN - answer ? Outcome.ABORTED : FORGOTTEN;
  }

  void ask(long start) {
    unknown.add(start);
  }

  /** A writer whose mark will be met: it is asked about with the others, unless it is known. */
  public void expect(long start) {
    if (!answers.containsKey(start) && !Outcome.isKnown(cache.get(start))) {
      ask(start);
    }
  }
}
