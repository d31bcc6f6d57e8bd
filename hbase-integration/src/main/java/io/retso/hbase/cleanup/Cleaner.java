package io.retso.hbase.cleanup;

import io.retso.client.CommitResult;
import io.retso.client.OracleClient;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.metrics.Counters;
import io.retso.hbase.table.PreparedTable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cleans up behind the replies (section 2.2 of the paper, "Single-row cleanup"): many transactions
 * at a time, the rows of a table in one batch, then each is reported to the oracle. A batch
 * collects for a few milliseconds, unless it is full: transactions that follow each other share its
 * request and its write to the log, which would otherwise delay those of the next transaction.
 * Hence at most two batches are on their way, but for those of regions that hang.
 *
 * <p><strong>Bounds.</strong> Rows that wait are limited. Beyond it {@link #offer} completes late,
 * which holds back the replies to the commits themselves; {@link #offerOrDrop}, for whose caller
 * nobody waits, leaves the rows to readers and sweeps. So are those of a row that fails a few times
 * in a row. What is left is not reported.
 *
 * <p><strong>What is reported</strong> as cleaned up: only a transaction that is decided, and of
 * which every row that may bear its mark was acknowledged as cleaned up.
 *
 * <p><strong>Regions that hang</strong> keep no others waiting. A batch that is not done after half
 * a second no longer counts as one of the two. A row is tried again only within seconds of its
 * first attempt, and HBase's client forgets each attempt after that time: so the row is given up,
 * which makes room. Rows on their way are bounded all the same, as they are among those that wait.
 *
 * <p>A request of a row that was given up may reach its region later, or go on there. It does no
 * harm: it names what was decided for good, and changes nothing unless the mark is there. Then it
 * does what a reader or a sweep would do, once, whoever comes first. Its transaction is not
 * reported, so the oracle remembers the outcome for readers until a sweep has found no mark.
 *
 * <p>Thread-safe.
 */
public final class Cleaner {
  private static final Logger LOG = LoggerFactory.getLogger(Cleaner.class);
  private static final int BATCH_ROWS_MAX = 2000;
  private static final int BATCHES_MAX = 2;

  /** Much longer than a batch takes, unless a region of it hangs. */
  private static final long BATCH_MILLIS = 500;

  private static final int ATTEMPTS_MAX = 8;
  private static final long PAUSE_MIN_MS = 20;
  private static final long PAUSE_MAX_MS = 5000;

  /**
   * Bounds of the cleanup.
   *
   * @param rowsMax rows that may wait
   * @param delayMillis how long a batch that is not full collects
   * @param timeoutMillis how long a row's cleanup may take, in HBase and until it is given up
   * @param alive which transactions are cleaned up: all, unless a test lets their client die
   */
  public record Options(long rowsMax, long delayMillis, long timeoutMillis, LongPredicate alive) {}

  /**
   * A transaction whose rows wait for cleanup. Guarded by the cleaner's lock, once it is offered.
   */
  public static final class Job {
    final long start;

    /** Each with the number of the only batch that wrote it, or 0. */
    final Map<PreparedTable, SortedMap<byte[], Integer>> rows;

    final int size;

    /** Commit timestamp or ABORTED; 0 while it is not known. */
    long outcome;

    int rowsLeft;
    boolean failed;
    int attempts;

    /** A decided transaction; {@code outcome} 0 lets the cleaner abort it, or learn what it was. */
    public Job(long start, long outcome, Map<PreparedTable, SortedMap<byte[], Integer>> rows) {
      this.start = start;
      this.outcome = outcome;
      this.rows = rows;
      this.size = rows.values().stream().mapToInt(SortedMap::size).sum();
      this.rowsLeft = size;
    }
  }

  /** A row's cleanup; {@code begun} is when its first attempt was, by the clock's nanoseconds. */
  private record RowTask(
      Job job, PreparedTable table, byte[] row, int batch, int attempt, long begun) {
    RowTask again(long sent) {
      return new RowTask(job, table, row, batch, attempt + 1, attempt == 1 ? sent : begun);
    }

    CleanupRequest request() {
      return new CleanupRequest(row, job.start, job.outcome, batch);
    }
  }

  private record Waiting(Job job, CompletableFuture<Void> admitted) {}

  private final OracleClient oracle;
  private final Counters counters;
  private final long rowsMax;
  private final long delayMillis;
  private final long timeoutNanos;

  /** Which transactions it cleans up: all of them, unless a test plays dead. */
  private final LongPredicate alive;

  private final Deque<RowTask> queue = new ArrayDeque<>();
  private final Deque<Waiting> waiting = new ArrayDeque<>();

  /** Rows of all jobs that were admitted and are not finished. */
  private long rows;

  /** Jobs that were admitted, or wait for it, and are not finished. */
  private long jobs;

  private int batches;

  /** Whether {@link #due} is on its way. */
  private boolean timer;

  /** Whether the log has been warned of a row that is left to others. */
  private boolean told;

  /** Whether a thread is in the loop of {@link #pump}. */
  private boolean pumping;

  /** Whether that loop may send batches that are not full. */
  private boolean due;

  private boolean closed;

  /** Whether the time of {@link #close} is over: nothing is sent any more. */
  private boolean stopped;

  /** Since it was closed, no job is left. */
  private final CompletableFuture<Void> drained = new CompletableFuture<>();

  public Cleaner(OracleClient oracle, Counters counters, Options options) {
    this.oracle = oracle;
    this.counters = counters;
    this.rowsMax = options.rowsMax();
    this.delayMillis = options.delayMillis();
    this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(options.timeoutMillis());
    this.alive = options.alive();
  }

  /**
   * Takes a transaction over. Nothing of it is on its way to HBase any more.
   *
   * @return completes when there is room for it: at once, unless very much waits already
   */
  public CompletableFuture<Void> offer(Job job) {
    return take(job, true);
  }

  /**
   * Takes a transaction over that its client gave up, if there is room. If there is none, it is
   * aborted at the oracle, and its rows are left to others.
   */
  public void offerOrDrop(Job job) {
    take(job, false);
  }

  private CompletableFuture<Void> take(Job job, boolean mayWait) {
    if (!alive.test(job.start)) {
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<Void> admitted = new CompletableFuture<>();
    boolean left;
    synchronized (this) {
      if (closed) {
        counters.cleanupsFailed.increment();
        return CompletableFuture.completedFuture(null);
      }
      // Those that wait come first: small ones that fit could keep a large one waiting for ever.
      boolean mustWait = !waiting.isEmpty() || isFull(job);
      left = mustWait && !mayWait;
      if (!left) {
        jobs++;
        if (mustWait) {
          waiting.add(new Waiting(job, admitted));
          return admitted;
        }
        rows += job.size;
      }
    }
    if (left) {
      counters.cleanupsFailed.increment();
      oracle.abortAsync(job.start); // if that fails, the oracle's time limit does it
    } else {
      begin(job);
    }
    return CompletableFuture.completedFuture(null);
  }

  /** One that is larger than the limit goes alone. */
  private boolean isFull(Job job) {
    return rows > 0 && rows + job.size > rowsMax;
  }

  /** Rows that wait, or are on their way. */
  public synchronized long rows() {
    return rows;
  }

  private void begin(Job job) {
    if (job.outcome != 0) {
      enqueue(job);
      return;
    }
    // Its client gave it up, or does not know: abort says how it is decided, and decides it if not.
    oracle
        .abortAsync(job.start)
        .whenComplete(
            (result, failure) -> {
              if (failure == null) {
                synchronized (this) {
                  job.outcome = outcome(result);
                }
                enqueue(job);
              } else if (++job.attempts < ATTEMPTS_MAX && !isClosed()) {
                later(job.attempts, () -> begin(job));
              } else {
                LOG.debug("transaction {} was not resolved", job.start, failure);
                fail(job);
              }
            });
  }

  static long outcome(CommitResult result) {
    return result.isCommitted() ? result.commitTimestamp() : CleanupRequest.ABORTED;
  }

  private void enqueue(Job job) {
    if (job.size == 0) {
      report(job);
      return;
    }
    List<RowTask> tasks = new ArrayList<>(job.size);
    job.rows.forEach(
        (table, rows) ->
            rows.forEach((row, batch) -> tasks.add(new RowTask(job, table, row, batch, 1, 0))));
    enqueue(tasks);
  }

  private void enqueue(List<RowTask> tasks) {
    boolean left;
    synchronized (this) {
      left = stopped;
      if (!left) {
        queue.addAll(tasks);
      }
    }
    if (left) {
      tasks.forEach(task -> done(task.job, true));
    } else {
      pump(false);
    }
  }

  private void due() {
    synchronized (this) {
      timer = false;
    }
    pump(true);
  }

  /**
   * Sends batches as long as it may; those that are not full only if they are due.
   *
   * <p>By one thread at a time, in one loop. Others have it go on: above all batches that end while
   * they are being sent, as they do when HBase's connection fails, each of which would otherwise
   * send the next one from deeper in the stack.
   */
  private void pump(boolean isDue) {
    synchronized (this) {
      due |= isDue;
      if (pumping) {
        return;
      }
      pumping = true;
    }
    for (List<RowTask> batch = next(); !batch.isEmpty(); batch = next()) {
      send(batch);
    }
  }

  /** The batch to be sent now; an empty one ends the loop, and whoever changes that begins anew. */
  private synchronized List<RowTask> next() {
    List<RowTask> batch = new ArrayList<>();
    boolean collects = !due && !closed && delayMillis > 0 && queue.size() < BATCH_ROWS_MAX;
    if (batches == BATCHES_MAX || queue.isEmpty() || collects) {
      if (batches < BATCHES_MAX && !queue.isEmpty() && !timer) {
        timer = true;
        CompletableFuture.delayedExecutor(delayMillis, TimeUnit.MILLISECONDS, Runnable::run)
            .execute(this::due);
      }
      pumping = false;
      due = false;
      return batch;
    }
    batches++;
    while (batch.size() < BATCH_ROWS_MAX && !queue.isEmpty()) {
      batch.add(queue.poll());
    }
    return batch;
  }

  private void send(List<RowTask> batch) {
    Map<PreparedTable, List<RowTask>> tables = new LinkedHashMap<>();
    batch.forEach(task -> tables.computeIfAbsent(task.table, table -> new ArrayList<>()).add(task));
    List<CompletableFuture<Void>> all = new ArrayList<>(batch.size());
    long now = System.nanoTime();
    tables.forEach(
        (table, tasks) -> {
          List<CleanupRequest> requests = tasks.stream().map(RowTask::request).toList();
          List<CompletableFuture<Void>> sent =
              RowCleanup.sendWithShortTimeout(table, requests, this::isAtWork);
          for (int i = 0; i < sent.size(); i++) {
            RowTask task = tasks.get(i);
            all.add(sent.get(i).handle((done, failure) -> ended(task, now, failure)));
          }
        });
    CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
        .completeOnTimeout(null, BATCH_MILLIS, TimeUnit.MILLISECONDS)
        .whenComplete(
            (done, failure) -> {
              synchronized (this) {
                batches--;
              }
              pump(false);
            });
  }

  private Void ended(RowTask task, long sent, Throwable failure) {
    if (failure == null) {
      counters.rowsCleaned.increment();
    } else if (repeated(task.again(sent))) {
      return null;
    } else {
      tell(task, failure);
    }
    done(task.job, failure != null);
    return null;
  }

  /** Nothing more is done about one of its rows. */
  private void done(Job job, boolean failed) {
    boolean last;
    synchronized (this) {
      job.failed |= failed;
      last = --job.rowsLeft == 0;
    }
    if (last && job.failed) {
      fail(job);
    } else if (last) {
      report(job);
    }
  }

  /** Tries a row again later, unless it is to be given up. */
  private boolean repeated(RowTask task) {
    boolean isOverdue = System.nanoTime() - task.begun >= timeoutNanos;
    if (isOverdue || task.attempt > ATTEMPTS_MAX || isClosed()) {
      return false;
    }
    later(task.attempt - 1, () -> enqueue(List.of(task)));
    return true;
  }

  /**
   * The first one aloud: if it is for want of a right, it is so every time. Of those that are still
   * on their way at the end of {@link #close} it has told by then.
   */
  private void tell(RowTask task, Throwable failure) {
    boolean isFirst;
    synchronized (this) {
      if (stopped) {
        return;
      }
      isFirst = !told;
      told = true;
    }
    String message = "table {}: {} failed and is left to readers and sweeps";
    if (isFirst) {
      LOG.warn(
          message + "; others will be at level DEBUG", task.table.name(), task.request(), failure);
    } else {
      LOG.debug(message, task.table.name(), task.request(), failure);
    }
  }

  private void report(Job job) {
    oracle
        .cleanedUpLater(job.start)
        .whenComplete(
            (done, failure) -> {
              // If the report was lost, the next sweep says the same.
              (failure == null ? counters.cleanedUp : counters.cleanupsFailed).increment();
              finished(job);
            });
  }

  private void fail(Job job) {
    counters.cleanupsFailed.increment();
    finished(job);
  }

  private void finished(Job job) {
    List<Waiting> admitted = new ArrayList<>();
    boolean empty;
    synchronized (this) {
      rows -= job.size;
      jobs--;
      while (!waiting.isEmpty() && !isFull(waiting.peek().job)) {
        Waiting next = waiting.poll();
        rows += next.job.size;
        admitted.add(next);
      }
      empty = closed && jobs == 0;
    }
    for (Waiting next : admitted) {
      begin(next.job);
      next.admitted.complete(null);
    }
    if (empty) {
      drained.complete(null);
    }
  }

  private void later(int failures, Runnable task) {
    long millis = Math.min(PAUSE_MAX_MS, PAUSE_MIN_MS << Math.min(failures, 16));
    CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS).execute(task);
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private synchronized boolean isAtWork() {
    return !stopped;
  }

  /**
   * Takes no more, and waits for what was taken; what takes longer is left to readers and sweeps.
   * Commits that still wait for room then are answered. No batch is sent after it returned.
   */
  public void close(long millisMax) throws InterruptedException {
    synchronized (this) {
      closed = true;
      if (jobs == 0) {
        drained.complete(null);
      }
    }
    pump(true);
    try {
      drained.get(millisMax, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.warn(
          "{} rows were not cleaned up within {} ms; readers and sweeps will", rows(), millisMax);
    } catch (ExecutionException e) {
      throw new AssertionError(e); // it is never completed so
    } finally {
      stop();
    }
  }

  /** Completes when it is closed, and nothing is on its way to HBase any more: in seconds. */
  public CompletableFuture<Void> drained() {
    return drained;
  }

  /**
   * Leaves to others what is not on its way. Nothing of it is reported, so the oracle remembers the
   * outcomes until a sweep.
   */
  private void stop() {
    List<Waiting> unadmitted;
    List<RowTask> unsent;
    synchronized (this) {
      stopped = true;
      unadmitted = List.copyOf(waiting);
      waiting.clear();
      jobs -= unadmitted.size();
      unsent = List.copyOf(queue);
      queue.clear();
    }
    for (Waiting one : unadmitted) {
      counters.cleanupsFailed.increment();
      one.admitted.complete(null);
    }
    unsent.forEach(task -> done(task.job, true));
  }
}
