package io.retso.client.connection;

import io.retso.client.CommitRequest;
import io.retso.client.CommitResult;
import io.retso.client.Hold;
import io.retso.client.NonBlocking;
import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.OracleException.Category;
import io.retso.client.OracleMembers;
import io.retso.client.Receipts;
import io.retso.client.TransactionHandle;
import io.retso.client.TransactionStatus;
import io.retso.client.VouchedToken;
import io.retso.client.call.Call;
import io.retso.client.call.HoldCall;
import io.retso.client.call.Intake;
import io.retso.client.call.VouchCall;
import io.retso.protocol.FrameType;
import io.retso.protocol.Holding;
import io.retso.protocol.Limits;
import io.retso.protocol.OracleIdentity;
import io.retso.protocol.Timestamps;
import io.retso.protocol.Vouching;
import io.retso.text.Visible;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** An oracle's client: its methods make calls, and hand them to the event loop. Thread-safe. */
public final class RemoteOracleClient implements OracleClient {
  private final ClientSettings settings;
  private final Intake<Call<?>> intake;
  private final ClientLoop loop;
  private final Dispatcher dispatcher;
  private final Runnable wake;
  private final Runnable linger;

  /** Numbers of calls, which begin elsewhere in each client. */
  private final AtomicLong holdNumbers;

  /** A client that connects with its first request; it ends the loop when it is closed. */
  public RemoteOracleClient(ClientSettings settings, ClientLoop loop) {
    this.settings = settings;
    this.intake = new Intake<>(settings.outstandingMax());
    this.loop = loop;
    this.dispatcher = new Dispatcher(settings, loop, intake);
    this.wake = dispatcher::onWake;
    this.linger = dispatcher::onLinger;
    this.holdNumbers = new AtomicLong(new SplittableRandom(settings.seed()).nextLong());
  }

  @Override
  public CompletableFuture<TransactionHandle> beginAsync() {
    return submit(FrameType.BEGIN);
  }

  @Override
  public TransactionHandle begin() {
    return await(this::beginAsync);
  }

  @Override
  public CompletableFuture<CommitResult> commitAsync(
      TransactionHandle transaction, long... rowIds) {
    checkSize(rowIds.length, "rows", Limits.TRANSACTION_ROWS_MAX);
    return submit(FrameType.COMMIT, transaction, rowIds, true);
  }

  @Override
  public CompletableFuture<CommitResult> commitAsync(CommitRequest request) {
    if (request.isPlain()) {
      checkSize(request.writes().length, "rows", Limits.TRANSACTION_ROWS_MAX);
    } else {
      checkSize(request.ids(), "rows and granules", Limits.TRANSACTION_IDS_MAX);
      checkSize(request.writes().length, "written rows", Limits.TRANSACTION_ROWS_MAX);
    }
    return submit(new Call<>(request, deadlineNanos()));
  }

  private static void checkSize(long ids, String what, int max) {
    if (ids > max) {
      throw new IllegalArgumentException(
          "a transaction of " + ids + " " + what + " exceeds the limit of " + max + "; split it");
    }
  }

  @Override
  public CompletableFuture<CommitResult> endLater(TransactionHandle transaction) {
    return submit(FrameType.COMMIT, transaction, Call.NO_ROWS, false);
  }

  @Override
  public CommitResult commit(TransactionHandle transaction, long... rowIds) {
    return await(() -> commitAsync(transaction, rowIds));
  }

  @Override
  public CommitResult commit(CommitRequest request) {
    return await(() -> commitAsync(request));
  }

  @Override
  public CompletableFuture<TransactionStatus> statusAsync(long writerStart, long readerStart) {
    checkTimestamp(writerStart, "writer's start timestamp");
    checkTimestamp(readerStart, "reader's start timestamp");
    return submit(FrameType.STATUS, writerStart, readerStart, Call.NO_ROWS, true);
  }

  @Override
  public TransactionStatus status(long writerStart, long readerStart) {
    return await(() -> statusAsync(writerStart, readerStart));
  }

  @Override
  public CompletableFuture<Long> timestampAsync() {
    return submit(FrameType.TIMESTAMP);
  }

  @Override
  public long timestamp() {
    return await(this::timestampAsync);
  }

  @Override
  public CompletableFuture<Long> safeSnapshotAsync() {
    return submit(FrameType.SAFE);
  }

  @Override
  public long safeSnapshot() {
    return await(this::safeSnapshotAsync);
  }

  @Override
  public CompletableFuture<CommitResult> abortAsync(TransactionHandle transaction) {
    return submit(FrameType.ABORT, transaction, Call.NO_ROWS, true);
  }

  @Override
  public CommitResult abort(TransactionHandle transaction) {
    return await(() -> abortAsync(transaction));
  }

  @Override
  public CompletableFuture<Void> cleanedUpAsync(TransactionHandle transaction) {
    return submit(FrameType.CLEANED, transaction, Call.NO_ROWS, true);
  }

  @Override
  public CompletableFuture<Void> cleanedUpLater(TransactionHandle transaction) {
    return submit(FrameType.CLEANED, transaction, Call.NO_ROWS, false);
  }

  @Override
  public void cleanedUp(TransactionHandle transaction) {
    await(() -> cleanedUpAsync(transaction));
  }

  @Override
  public CompletableFuture<Long> lowWatermarkAsync() {
    return submit(FrameType.WATERMARK);
  }

  @Override
  public long lowWatermark() {
    return await(this::lowWatermarkAsync);
  }

  @Override
  public CompletableFuture<Receipts> receiptsAsync() {
    return submit(FrameType.KEYS);
  }

  @Override
  public CompletableFuture<VouchedToken> vouchAsync(String user) {
    if (!Vouching.isUser(user)) {
      throw new IllegalArgumentException(
          Visible.of(user) + " is no user: a name has 1 to 255 characters of ASCII without blanks");
    }
    return submit(new VouchCall(user, deadlineNanos()));
  }

  @Override
  public CompletableFuture<Long> holdAsync(String name, Duration ttl) {
    if (!Holding.isName(name)) {
      throw new IllegalArgumentException(
          Visible.of(name)
              + " does not name a held snapshot: a name has 1 to "
              + Limits.HOLD_NAME_CHARS_MAX
              + " printable characters of ASCII without blanks");
    }
    boolean isTooLong = ttl.compareTo(Duration.ofMillis(Limits.HOLD_MILLIS_MAX)) > 0;
    if (isTooLong || !Holding.isTtl(ttl.toMillis())) {
      throw new IllegalArgumentException(
          "a snapshot is held for 1 s to 30 days without being renewed, not for " + ttl);
    }
    long number = holdNumbers.incrementAndGet();
    return submit(new HoldCall(name, ttl.toMillis(), number, deadlineNanos()));
  }

  @Override
  public long hold(String name, Duration ttl) {
    return await(() -> holdAsync(name, ttl));
  }

  @Override
  public CompletableFuture<Boolean> renewAsync(long timestamp) {
    checkTimestamp(timestamp, "held snapshot");
    return submit(FrameType.RENEW, timestamp, 0, Call.NO_ROWS, true);
  }

  @Override
  public boolean renew(long timestamp) {
    return await(() -> renewAsync(timestamp));
  }

  @Override
  public CompletableFuture<Boolean> releaseAsync(long timestamp) {
    checkTimestamp(timestamp, "held snapshot");
    return submit(FrameType.RELEASE, timestamp, 0, Call.NO_ROWS, true);
  }

  @Override
  public boolean release(long timestamp) {
    return await(() -> releaseAsync(timestamp));
  }

  @Override
  public CompletableFuture<List<Hold>> holdsAsync() {
    return submit(FrameType.HOLDS);
  }

  @Override
  public List<Hold> holds() {
    return await(this::holdsAsync);
  }

  @Override
  public CompletableFuture<Void> sweptAsync(TransactionHandle sweep) {
    return submit(FrameType.SWEPT, sweep, Call.NO_ROWS, true);
  }

  @Override
  public void swept(TransactionHandle sweep) {
    await(() -> sweptAsync(sweep));
  }

  @Override
  public CompletableFuture<Void> pingAsync() {
    return submit(FrameType.PING);
  }

  @Override
  public void ping() {
    await(this::pingAsync);
  }

  @Override
  public CompletableFuture<OracleIdentity> identityAsync() {
    return dispatcher.oracle() != null
        ? CompletableFuture.completedFuture(dispatcher.oracle())
        : pingAsync().thenApply(answered -> dispatcher.oracle());
  }

  @Override
  public OracleIdentity identity() {
    if (dispatcher.oracle() == null) {
      ping();
    }
    return dispatcher.oracle();
  }

  @Override
  public OracleMembers members() {
    return dispatcher.observed();
  }

  @Override
  public int outstanding() {
    return intake.outstanding();
  }

  @Override
  public void close() {
    if (intake.close()) {
      loop.execute(
          () -> {
            dispatcher.close();
            loop.shutDown();
          });
    }
    if (!loop.inLoop()) {
      loop.awaitEnd();
    }
  }

  private <T> Call<T> submit(FrameType type) {
    return submit(type, 0, 0, Call.NO_ROWS, true);
  }

  private <T> Call<T> submit(
      FrameType type, TransactionHandle transaction, long[] rows, boolean urgent) {
    return submit(type, transaction.startTimestamp(), transaction.ticket(), rows, urgent);
  }

  private <T> Call<T> submit(FrameType type, long start, long ticket, long[] rows, boolean urgent) {
    return submit(new Call<>(type, start, ticket, rows, deadlineNanos(), urgent));
  }

  private long deadlineNanos() {
    return loop.nanoTime() + settings.requestTimeoutNanos();
  }

  private <T> Call<T> submit(Call<T> call) {
    switch (intake.offer(call, call.urgent)) {
      case QUEUED -> {}
      case WAKE -> onLoop(() -> loop.execute(wake));
      case LINGER -> onLoop(() -> loop.schedule(linger, LINGER.toNanos()));
      case FULL ->
          call.completeExceptionally(
              new OracleException(
                  Category.OVERLOADED,
                  settings.outstandingMax()
                      + " requests are outstanding; wait for answers, or raise maxOutstanding",
                  null));
      case CLOSED ->
          call.completeExceptionally(
              new OracleException(Category.CLOSED, "the client is closed; build a new one", null));
      default -> throw new AssertionError();
    }
    return call;
  }

  private void onLoop(Runnable scheduling) {
    try {
      scheduling.run();
    } catch (RejectedExecutionException e) {
      // The loop ends only after close() has completed every call that was taken, this one too.
      assert intake.outstanding() == 0;
    }
  }

  private <T> T await(Supplier<CompletableFuture<T>> request) {
    if (loop.inLoop() || NonBlocking.isCurrent()) {
      throw new IllegalStateException(
          "a blocking method was called in a callback, on the event loop of a client, which it"
              + " would stop: use the asynchronous twin, or leave the loop with thenApplyAsync and"
              + " an executor of your own");
    }
    Call<T> call = (Call<T>) request.get();
    return call.await(call.deadlineNanos - loop.nanoTime());
  }

  private void checkTimestamp(long timestamp, String name) {
    if (!Timestamps.isWellFormed(timestamp) && settings.isOracle()) {
      throw new IllegalArgumentException(
          name
              + " "
              + timestamp
              + " is not a positive multiple of "
              + Timestamps.GAP
              + " up to "
              + Timestamps.MAX
              + ": take it from begin()");
    }
  }
}
