package io.retso.chaos.rollout;

import io.retso.chaos.load.Successes;
import io.retso.client.ClientSecurity;
import io.retso.client.CommitResult;
import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.client.TransactionStatus;
import io.retso.text.ErrorText;
import io.retso.verify.lists.Findings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * An application that commits without a pause, whatever happens to its oracle: a transaction that
 * fails, is aborted, or is missing in the end although its commit was acknowledged is a finding.
 * Some transactions stay open for a second, so that steps are taken while they are under way.
 * Thread-safe.
 */
final class Application implements AutoCloseable {
  /** What names of applications begin with. */
  static final String PREFIX = "app-";

  private static final int TOGETHER = 4;
  private static final long PAUSE_MILLIS = 20;
  private static final long OPEN_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** One in so many is not cleaned up, and is looked for in the end. */
  private static final int REMEMBERED = 16;

  private static final int ASKED_TOGETHER = 500;

  /** Makes clients of all oracles. */
  interface Clients {
    OracleClient of(String name, Optional<ClientSecurity> security);
  }

  /** A transaction that is left open for a while. */
  private record Open(TransactionHandle handle, long sinceNanos) {}

  private final String name;
  private final int number;
  private final Clients clients;
  private final Successes commits;
  private final Findings findings;
  private final Thread thread;
  private final Deque<Open> open = new ArrayDeque<>();
  private final ConcurrentLinkedQueue<long[]> remembered = new ConcurrentLinkedQueue<>();
  private volatile OracleClient client;
  private volatile boolean secured;
  private volatile boolean over;

  /** When the oldest of those was begun that are open, or a turn if none is. */
  private volatile long oldestNanos;

  /** What the thread is to change to; null if nothing. */
  private volatile Move move;

  private record Move(Optional<ClientSecurity> security, CompletableFuture<Void> done) {}

  /**
   * Begins, in clear.
   *
   * @param number of its answers among those of others
   */
  Application(int number, Clients clients, Successes commits, Findings findings) {
    this.name = PREFIX + number;
    this.number = number;
    this.clients = clients;
    this.commits = commits;
    this.findings = findings;
    this.client = clients.of(name, Optional.empty());
    thread = new Thread(() -> findings.watch(name, this::work), name);
    thread.setDaemon(true);
    thread.start();
  }

  /** What it calls itself. */
  String name() {
    return name;
  }

  /** Whether it speaks TLS and identifies itself. */
  boolean isSecured() {
    return secured;
  }

  /** The leader, as far as it knows; empty if it follows none. */
  String leader() {
    return client.members().leader();
  }

  /**
   * Goes on with another client, as after a restart with other settings. What it has open is
   * committed by the new client, unless that does not identify itself any more.
   */
  void moveTo(Optional<ClientSecurity> security) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    move = new Move(security, done);
    done.join();
  }

  /** Whether all that it began before a {@link System#nanoTime} has ended. */
  boolean hasEndedAllBefore(long nanos) {
    return oldestNanos - nanos > 0;
  }

  private void work() {
    while (!over) {
      Move next = move;
      if (next != null) {
        change(next.security);
        move = null;
        next.done.complete(null);
      }
      turn();
      try {
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
    commitAllOpen();
  }

  private void change(Optional<ClientSecurity> security) {
    if (security.isEmpty()) {
      commitAllOpen();
    }
    OracleClient before = client;
    client = clients.of(name, security);
    secured = security.isPresent();
    before.close();
  }

  private void commitAllOpen() {
    open.forEach(each -> commit(each.handle).join());
    open.clear();
  }

  private void turn() {
    List<CompletableFuture<TransactionHandle>> begun = new ArrayList<>();
    for (int i = 0; i < TOGETHER; i++) {
      begun.add(client.beginAsync());
    }
    List<TransactionHandle> due = new ArrayList<>();
    for (CompletableFuture<TransactionHandle> each : begun) {
      try {
        due.add(each.join());
      } catch (CompletionException e) {
        failed("begin", e);
      }
    }
    long now = System.nanoTime();
    if (!due.isEmpty()) {
      open.add(new Open(due.remove(0), now));
    }
    while (!open.isEmpty() && now - open.peek().sinceNanos > OPEN_NANOS) {
      due.add(open.poll().handle);
    }
    CompletableFuture.allOf(due.stream().map(this::commit).toArray(CompletableFuture[]::new))
        .join();
    oldestNanos = open.isEmpty() ? now : open.peek().sinceNanos;
  }

  private void failed(String what, Throwable e) {
    Throwable cause = e instanceof CompletionException ? e.getCause() : e;
    findings.violation(name + ": " + what + " failed: " + ErrorText.of(cause));
  }

  /** Completes normally in any case. */
  private CompletableFuture<Void> commit(TransactionHandle handle) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    OracleClient mine = client;
    long asked = System.nanoTime();
    return mine.commitAsync(handle, random.nextLong(), random.nextLong())
        .handle(
            (result, failure) -> {
              if (failure != null) {
                failed("commit of transaction " + handle.startTimestamp(), failure);
              } else if (!result.isCommitted()) {
                findings.violation(
                    name + ": transaction " + handle.startTimestamp() + " " + result);
              } else {
                commits.add(number, asked, System.nanoTime());
                committed(mine, handle, result);
              }
              return null;
            });
  }

  private void committed(OracleClient mine, TransactionHandle handle, CommitResult result) {
    if (ThreadLocalRandom.current().nextInt(REMEMBERED) == 0) {
      remembered.add(new long[] {handle.startTimestamp(), result.commitTimestamp()});
    } else {
      mine.cleanedUpLater(handle);
    }
  }

  /**
   * Ends the work, and looks for what was acknowledged.
   *
   * @return how many commits were looked for
   */
  int judge() throws InterruptedException {
    over = true;
    thread.join();
    long reader = client.timestamp();
    List<long[]> all = List.copyOf(remembered);
    for (int from = 0; from < all.size(); from += ASKED_TOGETHER) {
      CompletableFuture.allOf(
              all.subList(from, Math.min(all.size(), from + ASKED_TOGETHER)).stream()
                  .map(commit -> look(commit[0], commit[1], reader))
                  .toArray(CompletableFuture[]::new))
          .join();
    }
    return all.size();
  }

  private CompletableFuture<Void> look(long start, long committed, long reader) {
    return client
        .statusAsync(start, reader)
        .thenAccept(
            status -> {
              if (!status.equals(TransactionStatus.of(committed))) {
                findings.violation(
                    name + ": " + start + " was committed at " + committed + ", and is " + status);
              }
            });
  }

  /** Ends the work and the client. */
  @Override
  public void close() {
    over = true;
    client.close();
  }
}
