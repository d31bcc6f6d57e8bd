package io.retso.hbase.coprocessor.write;

import io.retso.hbase.coprocessor.write.WriteBatch.Shared;

/**
 * The batches of mutations that are under way in a region, each on the thread that carries it out:
 * from {@link #begin} to {@link #end}, which come from the hooks of HBase's region operation.
 *
 * <p>Once the first hook of all coprocessors has succeeded HBase calls the second, whatever happens
 * in between. But if that of another coprocessor fails after ours, nothing more is called. So a
 * batch takes nothing that must be given back before it meets its first mutation, and one that has
 * met none may be over, or be one that the next is inside of: it waits below the next until that is
 * over. (The hook after a batch is skipped if another coprocessor fails in one before it.)
 *
 * <p>Thread-safe.
 */
public final class OpenBatches {
  /** Batches of one thread that have met no mutation: coprocessors begin some inside of others. */
  private static final int OUTER_MAX = 8;

  /** A batch that has begun, others inside of it, and what it does once it has a mutation. */
  private static final class Open {
    /** One that had met no mutation when this one began; null if there is none. */
    private final Open outer;

    private final int level;
    private int depth;
    private WriteBatch batch;

    private Open(Open outer) {
      boolean isTooDeep = outer != null && outer.level == OUTER_MAX;
      this.outer = isTooDeep ? null : outer;
      this.level = this.outer == null ? 0 : outer.level + 1;
    }
  }

  private final Shared shared;
  private final ThreadLocal<Open> open = new ThreadLocal<>();

  /** Operations of this thread that are no batches. */
  private final ThreadLocal<Integer> unbatched = new ThreadLocal<>();

  public OpenBatches(Shared shared) {
    this.shared = shared;
  }

  /** A batch begins on this thread; another coprocessor may begin one inside of it. */
  public void begin() {
    Open current = open.get();
    if (current == null || current.batch == null) {
      current = new Open(current);
      open.set(current);
    }
    current.depth++;
  }

  /** The batch is over: applied and visible, or failed. */
  public void end() {
    Open current = open.get();
    assert current == null || current.depth > 0;
    if (current != null && --current.depth == 0) {
      if (current.outer == null) {
        open.remove();
      } else {
        open.set(current.outer);
      }
      if (current.batch != null) {
        current.batch.end();
      }
    }
  }

  /** What this thread's batch does, which has a mutation; null if it is in none. */
  WriteBatch current() {
    Open current = open.get();
    if (current == null) {
      return null;
    }
    if (current.batch == null) {
      current.batch = new WriteBatch(shared);
    }
    return current.batch;
  }

  /** What this thread's batch does if it has had a mutation before; otherwise null. */
  WriteBatch begun() {
    Open current = open.get();
    return current == null ? null : current.batch;
  }

  /** An operation begins on this thread that may change rows without a batch. */
  public void beginUnbatched() {
    Integer depth = unbatched.get();
    unbatched.set(depth == null ? 1 : depth + 1);
    shared.changes().begin();
  }

  /** It is over; ignored if none has begun: HBase ends scans in the same way. */
  public void endUnbatched() {
    Integer depth = unbatched.get();
    if (depth != null) {
      shared.changes().end();
      if (depth == 1) {
        unbatched.remove();
      } else {
        unbatched.set(depth - 1);
      }
    }
  }
}
