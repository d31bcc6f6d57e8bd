package io.retso.server.config;

import io.retso.text.ErrorText;
import io.retso.text.Visible;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A complete, valid configuration: a value for every setting of {@link Settings}. Immutable.
 *
 * <p>Read with {@code config.get(Settings.LISTEN_PORT)}.
 */
public final class ServerConfig {
  /** Copies of the log: spread over {@code ensemble}, {@code write} each, {@code ack} awaited. */
  public record Quorums(int ensemble, int write, int ack) {}

  /** Some editors begin a file in UTF-8 with it. */
  private static final String BYTE_ORDER_MARK = "\ufeff";

  private static final int ENSEMBLE_AUTO = 3;

  /**
   * A reservation is at most this part of the window. Each crash skips what is left of it, and
   * whatever started more than a window before the end of it is aborted: an eighth leaves seven for
   * the transactions that are open then, and for seven more crashes.
   */
  private static final int RESERVATIONS_PER_WINDOW = 8;

  private static final int RESERVATION_AUTO_MAX = 1 << 20;

  private final Map<Setting<?>, Object> values;
  private final Quorums quorums;
  private final int reservation;

  private ServerConfig(Map<Setting<?>, Object> values) throws ConfigException {
    this.values = Map.copyOf(values);
    this.quorums = checkedQuorums();
    this.reservation = checkedReservation();
    checkSecret();
    checkTls();
    checkZooKeeperAuth();
    checkLogTls();
  }

  /** Starts from the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** The value of a setting, the default if it was not set. */
  public <T> T get(Setting<T> setting) {
    @SuppressWarnings("unchecked") // only Setting.parse of the same setting fills the map
    T value = (T) values.get(setting);
    return value == null ? setting.defaultValue() : value;
  }

  /** Whether the log is kept on BookKeeper at all. */
  public boolean isDurable() {
    return get(Settings.LOG).equals("bookkeeper");
  }

  /** Whether ZooKeeper and bookies run inside this process. */
  public boolean isEmbedded() {
    return isDurable() && get(Settings.ZOOKEEPER).isEmpty();
  }

  /** Whether it was said that every client that reaches the server may be trusted. */
  public boolean isInsecure() {
    return get(Settings.INSECURE).equals("yes-i-know");
  }

  /** Where the secret of the log's servers is; empty if they have none. */
  public Optional<Path> secretFile() {
    String file = get(Settings.SECRET_FILE);
    if (!file.isEmpty()) {
      return Optional.of(Path.of(file));
    }
    return isEmbedded() ? Optional.of(get(Settings.DATA_DIR).resolve("secret")) : Optional.empty();
  }

  /** Where it stands what is asked of clients; empty if nothing is. */
  public Optional<Path> accessFile() {
    String file = get(Settings.ACCESS_FILE);
    return file.isEmpty() ? Optional.empty() : Optional.of(Path.of(file));
  }

  private void checkTls() throws ConfigException {
    for (Setting<String> setting :
        List.of(Settings.TLS_CERTIFICATE, Settings.TLS_KEY, Settings.TLS_CA)) {
      if (get(setting).isEmpty() != get(Settings.TLS_CERTIFICATE).isEmpty()) {
        throw new ConfigException(
            "tls.certificate, tls.key and tls.ca belong together: set all three, or none");
      }
    }
    if (!get(Settings.KERBEROS_KEYTAB).isEmpty() && get(Settings.TLS_CERTIFICATE).isEmpty()) {
      throw new ConfigException(
          "kerberos.keytab needs TLS, inside of which clients show their tickets: set"
              + " tls.certificate, tls.key and tls.ca");
    }
  }

  /** By what ZooKeeper knows this server, with {@code auto} replaced. */
  public String zooKeeperAuth() {
    String auth = get(Settings.ZOOKEEPER_AUTH);
    return !auth.equals("auto") ? auth : isEmbedded() ? "digest" : "none";
  }

  private void checkZooKeeperAuth() throws ConfigException {
    String auth = zooKeeperAuth();
    String is = "zookeeper.auth = " + auth;
    if (isEmbedded() && (auth.equals("sasl") || auth.equals("x509"))) {
      throw new ConfigException(
          is + " is for a zookeeper of your own: an embedded one takes digest or none");
    }
    if (isDurable() && auth.equals("digest") && secretFile().isEmpty()) {
      throw new ConfigException(
          is + " needs a secret that its password comes from: set secret.file");
    }
    if (isDurable() && !auth.equals("none") && get(Settings.LOG_ZNODE).lastIndexOf('/') == 0) {
      throw new ConfigException(
          is
              + " does not keep strangers from deleting log.znode = "
              + get(Settings.LOG_ZNODE)
              + ", as the node above it says which clients may delete it: choose one of two parts,"
              + " such as /retso/log");
    }
  }

  private void checkLogTls() throws ConfigException {
    if (get(Settings.LOG_TLS) && (isEmbedded() || get(Settings.TLS_CERTIFICATE).isEmpty())) {
      throw new ConfigException(
          isEmbedded()
              ? "log.tls = true is for a zookeeper of your own: embedded bookies serve this server"
                  + " alone already"
              : "log.tls = true needs a certificate that this server shows to bookies: set"
                  + " tls.certificate, tls.key and tls.ca");
    }
  }

  private void checkSecret() throws ConfigException {
    if (isDurable() && secretFile().isEmpty() && !isInsecure()) {
      throw new ConfigException(
          "zookeeper = "
              + get(Settings.ZOOKEEPER)
              + " has a log that other servers may take over, which must know the same secret: make"
              + " one with ./retso secret FILE, give each of them a copy, and set secret.file, or"
              + " set insecure = yes-i-know");
    }
  }

  /** The quorums of the log, with {@code auto} replaced by numbers. */
  public Quorums quorums() {
    return quorums;
  }

  /** Timestamps reserved ahead, with {@code auto} replaced by a number. */
  public int reservation() {
    return reservation;
  }

  private int checkedReservation() throws ConfigException {
    int wanted = get(Settings.RESERVATION_TIMESTAMPS);
    int window = get(Settings.WINDOW_TIMESTAMPS);
    int most = window / RESERVATIONS_PER_WINDOW;
    if (wanted > most) {
      throw new ConfigException(
          "reservation.timestamps = "
              + wanted
              + " is more than an eighth of window.timestamps = "
              + window
              + ": a restart would skip so many timestamps that it aborts open transactions; use at"
              + " most "
              + most
              + ", or set window.timestamps to "
              + (Integer.highestOneBit(RESERVATIONS_PER_WINDOW * wanted - 1) << 1));
    }
    // Two timestamps at least: half of it is used before the next is asked for.
    return wanted > 0 ? wanted : Math.max(2, Math.min(most, RESERVATION_AUTO_MAX));
  }

  private Quorums checkedQuorums() throws ConfigException {
    boolean ownZooKeeper = !get(Settings.ZOOKEEPER).isEmpty();
    int bookies = get(Settings.EMBEDDED_BOOKIES);
    int write = get(Settings.LOG_WRITE_QUORUM);
    int ack = get(Settings.LOG_ACK_QUORUM);
    int ensemble = get(Settings.LOG_ENSEMBLE);
    if (ensemble == 0) {
      int natural = ownZooKeeper ? ENSEMBLE_AUTO : Math.min(ENSEMBLE_AUTO, bookies);
      ensemble = ownZooKeeper ? Math.max(natural, Math.max(write, ack)) : natural;
    }
    write = write == 0 ? ensemble : write;
    ack = ack == 0 ? write / 2 + 1 : ack;
    if (write > ensemble) {
      throw new ConfigException(
          "log.write.quorum = "
              + write
              + " is larger than log.ensemble = "
              + ensemble
              + ": an entry cannot have more copies than its ledger has bookies");
    }
    if (ack > write) {
      throw new ConfigException(
          "log.ack.quorum = "
              + ack
              + " is larger than log.write.quorum = "
              + write
              + ": use 1 to "
              + write);
    }
    if (!ownZooKeeper && ensemble > bookies) {
      throw new ConfigException(
          "log.ensemble = "
              + ensemble
              + " needs as many bookies, but embedded.bookies = "
              + bookies
              + ": use 1 to "
              + bookies
              + ", or set zookeeper to a BookKeeper cluster");
    }
    return new Quorums(ensemble, write, ack);
  }

  /** Collects settings; later ones override earlier ones. Not thread-safe. */
  public static final class Builder {
    private final Map<Setting<?>, Object> values = new HashMap<>();

    private Builder() {}

    /**
     * Sets a value from its text.
     *
     * @param where where it comes from, for errors: {@code retso.properties, line 3}
     * @throws ConfigException if the text is not allowed
     */
    public Builder set(Setting<?> setting, String text, String where) throws ConfigException {
      values.put(setting, setting.parse(text, where));
      return this;
    }

    /**
     * Sets a value in a program: its text, or an object whose text is allowed.
     *
     * @throws IllegalArgumentException if the text is not allowed
     */
    public Builder set(Setting<?> setting, Object value) {
      try {
        String text = value instanceof Duration span ? ValueType.human(span) : value.toString();
        return set(setting, text, "program");
      } catch (ConfigException e) {
        throw new IllegalArgumentException(e.getMessage(), e);
      }
    }

    /**
     * Reads a file of lines {@code key = value} in UTF-8. Lines that are empty or begin with {@code
     * #} are skipped. There are no escapes and no continued lines: a value is what stands there.
     *
     * @throws ConfigException if it cannot be read, or for an unknown or repeated key or a bad
     *     value
     */
    public Builder load(Path file) throws ConfigException {
      List<String> lines = readLines(file);
      Map<String, Integer> seen = new HashMap<>();
      for (int i = 0; i < lines.size(); i++) {
        String line = lines.get(i).strip();
        if (line.isEmpty() || line.startsWith("#")) {
          continue;
        }
        String where = file + ", line " + (i + 1);
        int equals = line.indexOf('=');
        if (equals < 0) {
          throw new ConfigException(
              where + ": '" + Visible.of(line) + "' has no '=': write key = value");
        }
        String key = line.substring(0, equals).trim();
        Setting<?> setting = Settings.byKey(key, where);
        Integer before = seen.put(key, i + 1);
        if (before != null) {
          throw new ConfigException(
              where + ": " + key + " was set before, in line " + before + ": keep one of them");
        }
        set(setting, line.substring(equals + 1), where);
      }
      return this;
    }

    private static List<String> readLines(Path file) throws ConfigException {
      try {
        List<String> lines = new ArrayList<>(Files.readAllLines(file, StandardCharsets.UTF_8));
        if (!lines.isEmpty() && lines.get(0).startsWith(BYTE_ORDER_MARK)) {
          lines.set(0, lines.get(0).substring(1));
        }
        return lines;
      } catch (NoSuchFileException e) {
        throw new ConfigException("configuration file " + file + " does not exist", e);
      } catch (MalformedInputException e) {
        throw new ConfigException("configuration file " + file + " is not UTF-8 text", e);
      } catch (IOException e) {
        throw new ConfigException(
            "configuration file " + file + " cannot be read: " + ErrorText.of(e), e);
      }
    }

    /**
     * The configuration.
     *
     * @throws ConfigException if settings contradict each other
     */
    public ServerConfig build() throws ConfigException {
      return new ServerConfig(values);
    }
  }
}
