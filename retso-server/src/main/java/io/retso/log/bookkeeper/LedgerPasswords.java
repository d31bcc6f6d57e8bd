package io.retso.log.bookkeeper;

import io.retso.log.LogException;
import io.retso.log.LogException.Reason;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.apache.bookkeeper.client.api.LedgerMetadata;

/**
 * The passwords of ledgers. A bookie lets a client append to a ledger, or fence it, only if that
 * knows the ledger's password, so a stranger that reaches a bookie cannot. They come from the
 * secret of the servers and the id of the log.
 *
 * <p>A ledger says in its metadata by which line of the secret its password was made, in a way that
 * tells nothing of either. So a secret can be replaced while ledgers of the old one are there. A
 * ledger that says nothing of it has no password: a server made it that had no secret. Immutable,
 * thread-safe; has no text.
 */
public final class LedgerPasswords {
  /** Ledgers are made without a password, and none that has one is opened. */
  public static final LedgerPasswords NONE = new LedgerPasswords((purpose, log) -> List.of());

  private static final String PURPOSE = "password of ledgers";
  private static final String PURPOSE_OF_NAMES = "name of the password of ledgers";

  /** What a ledger says of its password. */
  private static final String NAME = "retso.password";

  private static final byte[] NO_PASSWORD = new byte[0];

  private final BiFunction<String, String, List<byte[]>> keys;

  private LedgerPasswords(BiFunction<String, String, List<byte[]>> keys) {
    this.keys = keys;
  }

  /**
   * Those that come from a secret.
   *
   * @param keys gives for a purpose and the id of a log a key for each line of the secret
   */
  public static LedgerPasswords of(BiFunction<String, String, List<byte[]>> keys) {
    return new LedgerPasswords(keys);
  }

  /** The password of a ledger that is to be made for a log. */
  byte[] toMake(String log) {
    List<byte[]> lines = keys.apply(PURPOSE, log);
    return lines.isEmpty() ? NO_PASSWORD : lines.get(0);
  }

  /** What such a ledger is to say of it in its metadata. */
  Map<String, byte[]> noteOf(String log) {
    List<byte[]> names = names(log);
    return names.isEmpty() ? Map.of() : Map.of(NAME, names.get(0));
  }

  /**
   * The password of a ledger that is there.
   *
   * @throws LogException {@link Reason#LOCKED} if it was made with another secret
   */
  byte[] of(long ledger, LedgerMetadata metadata) throws LogException {
    Map<String, byte[]> said = metadata.getCustomMetadata();
    byte[] name = said.get(NAME);
    if (name == null) {
      return NO_PASSWORD;
    }
    String log = new String(said.get(BookKeeperLostLedgers.LOG_ID), StandardCharsets.UTF_8);
    List<byte[]> names = names(log);
    for (int line = 0; line < names.size(); line++) {
      if (Arrays.equals(names.get(line), name)) {
        return keys.apply(PURPOSE, log).get(line);
      }
    }
    throw new LogException(
        Reason.LOCKED,
        "ledger " + ledger + " of the log was made with another secret than this server has");
  }

  private List<byte[]> names(String log) {
    return keys.apply(PURPOSE_OF_NAMES, log).stream()
        .map(key -> HexFormat.of().formatHex(key).getBytes(StandardCharsets.UTF_8))
        .toList();
  }
}
