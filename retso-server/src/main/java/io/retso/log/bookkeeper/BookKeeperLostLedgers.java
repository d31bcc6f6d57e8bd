package io.retso.log.bookkeeper;

import io.retso.log.LogException;
import io.retso.log.LogException.Reason;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.client.api.DigestType;
import org.apache.bookkeeper.client.api.LedgerEntries;
import org.apache.bookkeeper.client.api.LedgerMetadata;
import org.apache.bookkeeper.client.api.LedgersIterator;
import org.apache.bookkeeper.client.api.ReadHandle;

/**
 * Looks for ledgers that belong to a log and that its catalog does not know. Every ledger names its
 * log. One that has an entry was written by a server whose catalog was lost: an empty one is left
 * by a crash between its creation and its addition, or is a standby's.
 *
 * <p>A ledger is written some time after it was made, if a standby made it ahead, so others may be
 * newer that are in the catalog. But it is newer than the oldest of the catalog, unless all that
 * was in the log when it was made has been deleted since.
 */
final class BookKeeperLostLedgers {
  private static final String APPLICATION = "application";
  private static final String ZNODE = "retso.znode";

  /** The log that a ledger says to be of. */
  static final String LOG_ID = "retso.log";

  private final BookKeeper client;
  private final Duration timeout;
  private final DigestType digest;
  private final LedgerPasswords passwords;

  BookKeeperLostLedgers(
      BookKeeper client, Duration timeout, DigestType digest, LedgerPasswords passwords) {
    this.client = client;
    this.timeout = timeout;
    this.digest = digest;
    this.passwords = passwords;
  }

  /**
   * Looks whether these ledgers can be opened with the passwords that there are. One that is gone
   * needs none.
   *
   * @throws LogException {@link Reason#LOCKED} if one of them cannot
   */
  void checkPasswords(Set<Long> ledgers) throws LogException {
    for (long ledger : ledgers) {
      try {
        passwords.of(ledger, await(client.getLedgerMetadata(ledger), ledger, look(ledger)));
      } catch (LogException e) {
        if (e.reason() != Reason.GONE) {
          throw e;
        }
      }
    }
  }

  private static String look(long ledger) {
    return "look at ledger " + ledger;
  }

  /** What a ledger of a log says of itself. */
  static Map<String, byte[]> metadata(String znode, String logId) {
    return Map.of(APPLICATION, bytes("retso"), ZNODE, bytes(znode), LOG_ID, bytes(logId));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * The ledgers of the log at {@code znode} that are newer than the oldest of the catalog, not
   * among these, and have entries. Asks ZooKeeper about each ledger of the cluster from there on,
   * of whatever application.
   *
   * @param known the ledgers of the catalog
   */
  List<Long> without(Set<Long> known, String znode) throws LogException {
    long oldest = known.stream().mapToLong(id -> id).min().orElse(-1);
    List<Long> lost = new ArrayList<>();
    for (long ledger : ids(oldest, known)) {
      try {
        LedgerMetadata found = await(client.getLedgerMetadata(ledger), ledger, look(ledger));
        byte[] owner = found.getCustomMetadata().get(ZNODE);
        if (Arrays.equals(owner, bytes(znode)) && hasEntries(ledger, found)) {
          lost.add(ledger);
        }
      } catch (LogException e) {
        if (e.reason() != Reason.GONE) { // it was deleted meanwhile
          throw e;
        }
      }
    }
    return lost;
  }

  private List<Long> ids(long oldest, Set<Long> known) throws LogException {
    List<Long> ids = new ArrayList<>();
    // The result is a view of ZooKeeper's nodes: there is nothing to be closed.
    LedgersIterator each =
        await(client.newListLedgersOp().execute(), BookKeeperFailure.NO_LEDGER, "list ledgers")
            .iterator();
    try {
      while (each.hasNext()) {
        long ledger = each.next();
        if (ledger > oldest && !known.contains(ledger)) {
          ids.add(ledger);
        }
      }
      return ids;
    } catch (IOException e) {
      throw new LogException(Reason.UNAVAILABLE, "cannot list ledgers: " + ErrorText.of(e), e);
    }
  }

  /**
   * Without fencing, and whether or not the entry is known to be durable.
   *
   * <p>A bookie may be dead, and an empty ledger beside a log is nothing unusual: standbys make one
   * ahead ({@link SpareLedger}). Then it is not known whether the dead one has the first entry. But
   * if so many bookies answer that one of them has whatever was acknowledged, as it takes to ask
   * for the last confirmed entry, none of them had the first, so it was not acknowledged. If they
   * do not answer either, this fails.
   */
  private boolean hasEntries(long ledger, LedgerMetadata metadata) throws LogException {
    String what = "look into ledger " + ledger;
    ReadHandle handle =
        await(
            client
                .newOpenLedgerOp()
                .withLedgerId(ledger)
                .withRecovery(false)
                .withDigestType(digest)
                .withPassword(passwords.of(ledger, metadata))
                .execute(),
            ledger,
            what);
    try (LedgerEntries first = await(handle.readUnconfirmedAsync(0, 0), ledger, what)) {
      return first.iterator().hasNext();
    } catch (LogException e) {
      if (e.reason() == Reason.GONE) {
        return false;
      }
      if (e.reason() != Reason.UNAVAILABLE) {
        throw e;
      }
      return await(handle.readLastAddConfirmedAsync(), ledger, what) >= 0;
    } finally {
      handle.closeAsync().exceptionally(e -> null);
    }
  }

  private <T> T await(CompletableFuture<T> operation, long ledger, String what)
      throws LogException {
    return BookKeeperFailure.await(operation, timeout, ledger, what);
  }
}
