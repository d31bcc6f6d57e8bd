package io.retso.log.bookkeeper;

import static java.util.stream.Collectors.toSet;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.log.LogException.Reason;
import io.retso.text.ErrorText;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.client.LedgerHandle;
import org.apache.bookkeeper.client.api.DigestType;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.apache.bookkeeper.client.api.WriteHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ledgers on BookKeeper, and their catalog in ZooKeeper.
 *
 * <p>Appends belong to one thread; everything else may be called by any. Nothing but {@link
 * #connect} and {@link #close} blocks. A call gives up with {@link Reason#UNAVAILABLE} after {@link
 * BookKeeperSettings#operationTimeout}, and what it brings later is closed, and deleted if it is a
 * new ledger. One of the catalog gives up when it has tried again for {@link
 * BookKeeperSettings#zookeeperTimeout}, or after both of these times; calls of the catalog wait for
 * one another.
 */
public final class BookKeeperStore implements LedgerStore {
  private static final Logger LOGGER = LoggerFactory.getLogger(BookKeeperStore.class);

  private static final DigestType DIGEST = DigestType.CRC32C;

  /** How long {@link #close} waits for ledgers that are being sealed, and for what is under way. */
  private static final int SEAL_TIMEOUT_MS = 2_000;

  /** How long {@link #close} waits for the clients to end. */
  private static final int CLOSE_TIMEOUT_MS = 3_000;

  private final BookKeeperSettings settings;
  private final BookKeeperClients clients;

  private final ZooKeeperCatalog catalog;
  private final Optional<CatalogWitness> witness;
  private volatile LedgerPasswords passwords;

  /** ZooKeeper's client blocks; so does writing the witness. */
  private final ExecutorService catalogThread =
      Executors.newSingleThreadExecutor(new DefaultThreadFactory("log-catalog", true));

  /** BookKeeper's client asks ZooKeeper for a ledger's id, and blocks as long as that is away. */
  private final ExecutorService creatingThread =
      Executors.newSingleThreadExecutor(new DefaultThreadFactory("log-ledgers", true));

  /** Ledgers that are being sealed: rarely more than one. */
  private final Set<CompletableFuture<?>> seals = ConcurrentHashMap.newKeySet();

  private BookKeeperStore(
      BookKeeperSettings settings,
      BookKeeperClients clients,
      ZooKeeperCatalog catalog,
      Optional<CatalogWitness> witness,
      LedgerPasswords passwords) {
    this.witness = witness;
    this.passwords = passwords;
    this.settings = settings;
    this.clients = clients;
    this.catalog = catalog;
  }

  /** Like the other, without a witness and passwords. */
  public static BookKeeperStore connect(BookKeeperSettings settings) throws LogException {
    return connect(settings, Optional.empty(), LedgerPasswords.NONE);
  }

  /**
   * Connects, and makes sure that the catalog knows all of the log.
   *
   * @param witnessFile where the newest version of the catalog is remembered, if its ZooKeeper is
   *     the only copy; empty if ZooKeeper's own quorum is enough
   * @throws LogException {@link Reason#UNAVAILABLE} if ZooKeeper cannot be reached or has no
   *     BookKeeper cluster; {@link Reason#LOST} if the bookies hold ledgers of this log that its
   *     catalog lacks, or the witness remembers a newer catalog; {@link Reason#LOCKED} if a ledger
   *     was made with another secret
   */
  public static BookKeeperStore connect(
      BookKeeperSettings settings, Optional<Path> witnessFile, LedgerPasswords passwords)
      throws LogException {
    ZooKeeperCatalog catalog =
        ZooKeeperCatalog.connect(
            settings.zookeeper(), settings.access(), settings.znode(), settings.zookeeperTimeout());
    BookKeeperClients clients = null;
    try {
      clients = BookKeeperClients.connect(settings, catalog.client());
    } catch (Exception e) {
      catalog.close();
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      throw new LogException(
          Reason.UNAVAILABLE,
          "cannot use BookKeeper at "
              + settings.zookeeper()
              + settings.ledgersRoot()
              + ": "
              + ErrorText.of(e)
              + "; check the address and that the cluster's metadata was initialized there",
          e);
    }
    BookKeeperStore store =
        new BookKeeperStore(
            settings, clients, catalog, witnessFile.map(CatalogWitness::new), passwords);
    try {
      store.checkCatalog();
      return store;
    } catch (LogException e) {
      store.close();
      throw e;
    }
  }

  /** A server that is in charge may roll, delete or take over meanwhile, which is no loss. */
  private void checkCatalog() throws LogException {
    Catalog before = catalog.read();
    if (witness.isPresent()) {
      witness.get().check(catalog.logId(), before.version());
    }
    Set<Long> known = before.ledgers().stream().map(id -> id < 0 ? ~id : id).collect(toSet());
    BookKeeperLostLedgers ledgers = ledgersByPassword(passwords);
    ledgers.checkPasswords(known);
    List<Long> lost = ledgers.without(known, settings.znode());
    lost.removeAll(catalog.readNewest().ledgers());
    if (!lost.isEmpty()) {
      throw new LogException(
          Reason.LOST,
          "the bookies hold ledgers "
              + lost
              + " of the log at "
              + settings.znode()
              + ", which its catalog in ZooKeeper does not know: it has "
              + before.ledgers());
    }
  }

  private BookKeeperLostLedgers ledgersByPassword(LedgerPasswords by) {
    return new BookKeeperLostLedgers(clients.usual(), settings.operationTimeout(), DIGEST, by);
  }

  /**
   * Goes by other passwords from here on, if all ledgers of the log can be opened with them, and
   * the catalog read at the next start. Blocks as {@link #connect} does.
   *
   * @param access this server's identity in ZooKeeper when it starts again
   * @throws LogException {@link Reason#LOCKED} if that is not so; then it goes on as before
   */
  public void use(LedgerPasswords others, ZooKeeperAccess access) throws LogException {
    catalog.check(access);
    Set<Long> known = catalog.read().ledgers().stream().filter(id -> id >= 0).collect(toSet());
    ledgersByPassword(others).checkPasswords(known);
    passwords = others;
  }

  /** The log's identity: random, made with the catalog, the same for ever. */
  public String logId() {
    return catalog.logId();
  }

  private interface CatalogCall {
    Catalog run() throws LogException;
  }

  private CompletableFuture<Catalog> onCatalogThread(CatalogCall call) {
    CompletableFuture<Catalog> answer = new CompletableFuture<>();
    catalogThread.execute(
        () -> {
          try {
            answer.complete(call.run());
          } catch (Throwable e) { // the code that waits for the answer knows what to do with it
            answer.completeExceptionally(e);
          }
        });
    return answer
        .orTimeout(catalogTimeout().toMillis(), TimeUnit.MILLISECONDS)
        .exceptionallyCompose(
            e ->
                CompletableFuture.failedFuture(
                    e instanceof TimeoutException
                        ? new LogException(
                            Reason.UNAVAILABLE,
                            "the log's list of ledgers could not be reached within "
                                + catalogTimeout().toMillis()
                                + " ms; check ZooKeeper",
                            e)
                        : e));
  }

  /** ZooKeeper's client gives up by itself before that, unless calls before this one hang. */
  private Duration catalogTimeout() {
    return settings.zookeeperTimeout().plus(settings.operationTimeout());
  }

  @Override
  public CompletableFuture<Catalog> readCatalog() {
    return onCatalogThread(catalog::read);
  }

  @Override
  public CompletableFuture<Catalog> readNewestCatalog() {
    return onCatalogThread(catalog::readNewest);
  }

  @Override
  public CompletableFuture<Catalog> replaceCatalog(Catalog expected, Content wanted) {
    return onCatalogThread(
        () -> {
          Catalog replaced = catalog.replace(expected, wanted);
          witness.ifPresent(w -> w.remember(catalog.logId(), replaced.version()));
          return replaced;
        });
  }

  /**
   * Creates a ledger. With fewer bookies than the ensemble it is spread over what there is, down to
   * the acknowledgement quorum: an entry then has fewer spare copies, and not fewer that count.
   */
  @Override
  public CompletableFuture<Ledger> create() {
    return create(settings.ensemble(), settings.znode(), catalog.logId());
  }

  /** Creates a ledger that belongs to no log, which is not missed then if it has entries. */
  public CompletableFuture<Ledger> createForNobody() {
    return create(settings.ensemble(), "", "");
  }

  private CompletableFuture<Ledger> create(int bookies, String znode, String logId) {
    LedgerPasswords by = passwords;
    Map<String, byte[]> metadata = new HashMap<>(BookKeeperLostLedgers.metadata(znode, logId));
    metadata.putAll(by.noteOf(logId));
    int writeQuorum = Math.min(bookies, settings.writeQuorum());
    CompletableFuture<WriteHandle> creation =
        CompletableFuture.supplyAsync(
                () ->
                    clients
                        .usual()
                        .newCreateLedgerOp()
                        .withEnsembleSize(bookies)
                        .withWriteQuorumSize(writeQuorum)
                        .withAckQuorumSize(settings.ackQuorum())
                        .withDigestType(DIGEST)
                        .withPassword(by.toMake(logId))
                        .withCustomMetadata(metadata)
                        .execute(),
                creatingThread)
            .thenCompose(executed -> executed);
    return BookKeeperFailure.bounded(
            creation,
            settings.operationTimeout(),
            BookKeeperFailure.NO_LEDGER,
            "create a ledger",
            late -> late.closeAsync().whenComplete((closed, e) -> delete(late.getId())))
        .thenApply(handle -> writable((LedgerHandle) handle, bookies))
        .exceptionallyCompose(
            e -> {
              LogException failure = LogException.of(e);
              boolean tooFew =
                  failure.getCause() instanceof BKException.BKNotEnoughBookiesException;
              return tooFew && bookies > settings.ackQuorum()
                  ? create(bookies - 1, znode, logId)
                  : CompletableFuture.failedFuture(failure);
            });
  }

  private Ledger writable(LedgerHandle handle, int bookies) {
    if (bookies < settings.ensemble()) {
      LOGGER.warn(
          "ledger {} is written to {} bookies instead of {}: start the others",
          handle.getId(),
          bookies,
          settings.ensemble());
    }
    return new BookKeeperLedger(handle, this::sealing);
  }

  @Override
  public CompletableFuture<Entries> openFenced(long ledger) {
    return open(ledger, true);
  }

  @Override
  public CompletableFuture<Entries> openUnfenced(long ledger) {
    return open(ledger, false);
  }

  private CompletableFuture<Entries> open(long ledger, boolean fence) {
    return open(clients.usual(), ledger, fence)
        .thenApply(
            handle ->
                new BookKeeperEntries(
                    handle,
                    () -> open(clients.batches(), ledger, false),
                    settings.operationTimeout()));
  }

  private CompletableFuture<ReadHandle> open(BookKeeper client, long ledger, boolean fence) {
    LedgerPasswords by = passwords;
    CompletableFuture<ReadHandle> opening =
        client
            .getLedgerMetadata(ledger)
            .thenCompose(
                metadata -> {
                  try {
                    return client
                        .newOpenLedgerOp()
                        .withLedgerId(ledger)
                        .withRecovery(fence)
                        .withDigestType(DIGEST)
                        .withPassword(by.of(ledger, metadata))
                        .execute();
                  } catch (LogException e) {
                    return CompletableFuture.failedFuture(e);
                  }
                });
    return BookKeeperFailure.bounded(
        opening,
        settings.operationTimeout(),
        ledger,
        "open ledger " + ledger,
        ReadHandle::closeAsync);
  }

  @Override
  public CompletableFuture<Void> delete(long ledger) {
    CompletableFuture<Void> deletion =
        clients.usual().newDeleteLedgerOp().withLedgerId(ledger).execute();
    sealing(deletion); // that of a spare ledger is asked for at the end
    return BookKeeperFailure.bounded(
            deletion, settings.operationTimeout(), ledger, "delete ledger " + ledger)
        .exceptionallyCompose(
            e -> {
              LogException failure = LogException.of(e);
              return failure.reason() == Reason.GONE
                  ? CompletableFuture.completedFuture(null)
                  : CompletableFuture.failedFuture(failure);
            });
  }

  /**
   * Ends within 5 s, whether or not ZooKeeper and the bookies answer: clients that have not ended
   * by then are left to do so by themselves.
   */
  @Override
  public void close() {
    awaitSeals();
    // What waits for ZooKeeper would hold up the client's end.
    catalogThread.shutdownNow();
    creatingThread.shutdownNow();
    Thread closing = new DefaultThreadFactory("log-close", true).newThread(this::closeClients);
    closing.start();
    try {
      closing.join(CLOSE_TIMEOUT_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void closeClients() {
    try {
      clients.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (BKException e) {
      // Nothing is lost: what was acknowledged is on the bookies.
    } finally {
      catalog.close();
    }
  }

  private void sealing(CompletableFuture<Void> seal) {
    seals.add(seal);
    seal.whenComplete((done, e) -> seals.remove(seal));
  }

  /** A ledger that is sealed is opened faster; one that is not is sealed by its opening. */
  private void awaitSeals() {
    try {
      CompletableFuture.allOf(seals.toArray(new CompletableFuture<?>[0]))
          .get(SEAL_TIMEOUT_MS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      return; // nothing is lost
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
