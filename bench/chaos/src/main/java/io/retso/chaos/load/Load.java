package io.retso.chaos.load;

import io.retso.client.CommitResult;
import io.retso.client.OracleClient;
import io.retso.client.OracleClientBuilder;
import io.retso.client.OracleMembers;
import io.retso.client.TransactionHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * Transactions of one or two random rows, begun at a constant rate by clients of their own, as if
 * each were an application: in turns, and whatever the oracle does, until too many are under way.
 * Thread-safe.
 */
public final class Load implements AutoCloseable {
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final Duration REQUEST_MAX = Duration.ofSeconds(30);
  private static final int OUTSTANDING_MAX = 20_000;

  private final List<OracleClient> clients = new ArrayList<>();
  private final List<AtomicInteger> outstanding = new ArrayList<>();
  private final int outstandingMax;
  private volatile double perSecond;
  private final Successes begins;
  private final Successes commits;
  private final Thread pacer = new Thread(this::pace, "load");
  private volatile boolean closed;

  /**
   * What to do.
   *
   * @param clients how many
   * @param connections of each client to the leader
   * @param perSecond transactions of all clients
   */
  public record Plan(int clients, int connections, double perSecond) {}

  /**
   * Makes the clients, which connect when they are first used.
   *
   * @param client begins one of all oracles by its name
   */
  public Load(
      Function<String, OracleClientBuilder> client,
      Plan plan,
      Successes begins,
      Successes commits) {
    for (int i = 0; i < plan.clients; i++) {
      clients.add(
          client
              .apply("load-" + i)
              .connections(plan.connections)
              .requestTimeout(REQUEST_MAX)
              .build());
      outstanding.add(new AtomicInteger());
    }
    this.outstandingMax = Math.max(10, OUTSTANDING_MAX / plan.clients);
    this.perSecond = plan.perSecond;
    this.begins = begins;
    this.commits = commits;
    pacer.setDaemon(true);
  }

  /** Begins. */
  public void start() {
    pacer.start();
  }

  /** Another number of transactions a second from now on; 0: none. */
  public void rate(double transactions) {
    perSecond = transactions;
  }

  /** What one of its clients knows of the servers. */
  public OracleMembers members() {
    return clients.get(0).members();
  }

  private void pace() {
    long last = System.nanoTime();
    double due = 0;
    long done = 0;
    while (!closed) {
      long now = System.nanoTime();
      due += (now - last) / 1e9 * perSecond;
      last = now;
      for (; done < due; done++) {
        transaction((int) (done % clients.size()));
      }
      LockSupport.parkNanos(TICK_NANOS);
    }
  }

  private void transaction(int client) {
    AtomicInteger count = outstanding.get(client);
    if (count.get() >= outstandingMax) {
      return;
    }
    count.incrementAndGet();
    long asked = System.nanoTime();
    clients
        .get(client)
        .beginAsync()
        .whenComplete(
            (start, failure) -> {
              if (failure != null) {
                ended(client);
              } else {
                begins.add(client, asked, System.nanoTime());
                commit(client, start);
              }
            });
  }

  private void commit(int client, TransactionHandle start) {
    long asked = System.nanoTime();
    ThreadLocalRandom random = ThreadLocalRandom.current();
    long[] rows = random.longs(1 + random.nextInt(2)).toArray();
    clients
        .get(client)
        .commitAsync(start, rows)
        .whenComplete(
            (result, failure) -> {
              if (failure == null) {
                commits.add(client, asked, System.nanoTime());
                cleanUp(client, start, result);
              }
              ended(client);
            });
  }

  private void cleanUp(int client, TransactionHandle start, CommitResult result) {
    if (result.isCommitted()) {
      clients.get(client).cleanedUpLater(start);
    }
  }

  private void ended(int client) {
    outstanding.get(client).decrementAndGet();
  }

  /**
   * Commits so many transactions, which are not cleaned up, each of a row of its own.
   *
   * @param from what the rows begin with
   * @throws java.util.concurrent.CompletionException if one fails
   */
  public void leaveUncleaned(long from, long count) {
    OracleClient client = clients.get(0);
    List<CompletableFuture<?>> batch = new ArrayList<>();
    for (long i = 0; i < count; i++) {
      long row = (from + i) << 1;
      batch.add(client.beginAsync().thenCompose(start -> client.commitAsync(start, row)));
      if (batch.size() == OUTSTANDING_MAX || i == count - 1) {
        batch.forEach(CompletableFuture::join);
        batch.clear();
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(pacer);
    clients.forEach(OracleClient::close);
  }
}
