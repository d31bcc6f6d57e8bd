package io.retso.client.call;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jctools.queues.MpscArrayQueue;

/**
 * The way from many calling threads to the one thread of the event loop: a bounded queue, the limit
 * of outstanding requests, and the flag that makes a burst cost one wake-up.
 *
 * <p><strong>Limit.</strong> An element counts from {@link #offer} until {@link #release}, which is
 * later than its departure from the queue. The queue has room for all that the limit admits, so it
 * is never full.
 *
 * <p><strong>Wake-ups.</strong> A producer publishes its element, then looks at the flag; the one
 * that turns it on must schedule a {@link #drainTo}. The consumer turns it off <em>before</em> it
 * looks into the queue. A producer that saw the flag on was therefore early enough for the drain to
 * come. This needs the producer's publication to be ordered before its look at the flag: the
 * queue's producer index is advanced by a compare-and-set, and {@link MpscArrayQueue#poll} waits
 * for the element behind an advanced index ({@code relaxedPoll} and {@code drain} do not).
 *
 * <p><strong>Elements in no hurry</strong> have a flag of their own: a producer that turns it on
 * must schedule {@link #linger} for a little later. The argument is the same: the consumer turns
 * that flag off, there and nowhere else, before it looks into the queue. So each of them has a
 * linger behind it, even if an earlier drain takes it out: what that keeps back goes then.
 *
 * <p><strong>Closing.</strong> A producer counts itself before it looks whether the intake is
 * closed. After {@link #close}, once {@link #outstanding} is zero, no element is in the queue and
 * none will ever come.
 *
 * @param <E> what is queued
 */
public final class Intake<E> {
  /** What became of an offered element. */
  public enum Admission {
    /** Taken; the consumer has been woken already, or will linger. */
    QUEUED,
    /** Taken; the caller must wake the consumer. */
    WAKE,
    /** Taken, in no hurry; the caller must see to it that the consumer lingers, then drains. */
    LINGER,
    /** Refused: the limit of outstanding elements is reached. */
    FULL,
    /** Refused: closed. */
    CLOSED
  }

  private final int limit;
  private final MpscArrayQueue<E> queue;

  /** Invariant: 0 <= elements in the queue <= outstanding <= limit. */
  private final AtomicInteger outstanding = new AtomicInteger();

  private final AtomicBoolean wakePending = new AtomicBoolean();
  private final AtomicBoolean lingerPending = new AtomicBoolean();
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * Nothing is in it.
   *
   * @param limit of outstanding elements, 1 or more
   */
  public Intake(int limit) {
    this.limit = limit;
    this.queue = new MpscArrayQueue<>(Math.max(limit, 2));
  }

  /**
   * Any thread.
   *
   * @param urgent whether the consumer is to be woken for it
   */
  public Admission offer(E element, boolean urgent) {
    if (!acquire()) {
      return closed.get() ? Admission.CLOSED : Admission.FULL;
    }
    if (closed.get()) {
      outstanding.decrementAndGet();
      return Admission.CLOSED;
    }
    if (!queue.offer(element)) {
      throw new AssertionError("the queue is smaller than the limit of " + limit);
    }
    AtomicBoolean pending = urgent ? wakePending : lingerPending;
    if (pending.get() || !pending.compareAndSet(false, true)) {
      return Admission.QUEUED;
    }
    return urgent ? Admission.WAKE : Admission.LINGER;
  }

  private boolean acquire() {
    // Not getAndIncrement with a correction: that would refuse others who are within the limit.
    int seen;
    do {
      seen = outstanding.get();
      if (seen >= limit) {
        return false;
      }
    } while (!outstanding.weakCompareAndSetVolatile(seen, seen + 1));
    return true;
  }

  /**
   * Consumer only: takes what is queued. At most {@code limit} elements, since none is released.
   */
  public void drainTo(Consumer<? super E> sink) {
    wakePending.set(false);
    poll(sink);
  }

  private void poll(Consumer<? super E> sink) {
    E element;
    while ((element = queue.poll()) != null) {
      sink.accept(element);
    }
  }

  /** Consumer only: the drain that was scheduled for elements in no hurry. */
  public void linger(Consumer<? super E> sink) {
    lingerPending.set(false);
    poll(sink);
  }

  /** Consumer only: {@code count} drained elements are no longer outstanding. */
  public void release(int count) {
    assert queue.size() <= outstanding.get() - count : count + " were not drained";
    int left = outstanding.addAndGet(-count);
    assert left >= 0 && left + count <= limit : left;
  }

  /** Elements offered and not yet released. */
  public int outstanding() {
    return outstanding.get();
  }

  /** Refuses all later offers. Returns whether this call closed it. */
  public boolean close() {
    return closed.compareAndSet(false, true);
  }
}
