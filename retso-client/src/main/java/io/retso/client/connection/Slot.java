package io.retso.client.connection;

import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.OracleException.Category;
import io.retso.protocol.Handshake.Welcome;
import java.net.InetSocketAddress;
import java.util.SplittableRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The place of one connection: makes it, and makes the next one when it ends. Event loop only.
 *
 * <pre>
 *            connect()            handshake done
 *   IDLE ----------&gt; CONNECTING ----------------&gt; READY
 *    ^                |     ^                        |
 *    | every address  |     | back-off over          | ended
 *    | incompatible   v     |                        |
 *    +------------- PAUSING &lt;------------------------+
 * </pre>
 */
final class Slot {
  private static final Logger LOG = LoggerFactory.getLogger(OracleClient.class);

  private enum State {
    IDLE,
    CONNECTING,
    READY,
    PAUSING,
    CLOSED
  }

  private final Dispatcher dispatcher;
  private final ClientSettings settings;
  private final ClientLoop loop;
  private final Backoff backoff;
  private State state = State.IDLE;

  /** Not null if and only if CONNECTING or READY. */
  private Connection connection;

  private int addressIndex;
  private int incompatibleInRow;

  Slot(Dispatcher dispatcher, ClientSettings settings, ClientLoop loop, SplittableRandom random) {
    this.dispatcher = dispatcher;
    this.settings = settings;
    this.loop = loop;
    this.backoff = new Backoff(settings.backoffMinNanos(), settings.backoffMaxNanos(), random);
  }

  /** The connection if it can take requests, otherwise null. */
  Connection ready() {
    return state == State.READY ? connection : null;
  }

  /** Begins to connect unless it did already. */
  void ensureConnecting() {
    if (state == State.IDLE) {
      connect();
    }
  }

  private void connect() {
    if (state == State.CLOSED) {
      return;
    }
    state = State.CONNECTING;
    InetSocketAddress address = settings.addresses().get(addressIndex);
    connection = new Connection(this, settings, dispatcher.intake(), loop, address);
    loop.connect(connection);
  }

  /** The handshake of the current connection is done. */
  void ready(Connection ready) {
    state = State.READY;
    incompatibleInRow = 0;
    LOG.info(
        "connected to oracle {} at {}, epoch {}",
        ready.welcome().oracle(),
        Addresses.text(ready.address),
        ready.welcome().epoch());
    dispatcher.connected();
  }

  /** Why the one who answers must not be talked to; null if it may. */
  OracleException objection(Connection asked, Welcome offer) {
    return dispatcher.objection(asked, offer);
  }

  /** The current connection takes requests again. */
  void writable() {
    dispatcher.onWake();
  }

  /** The current connection or the attempt to make it is over. */
  void ended(Connection ended, OracleException cause) {
    connection = null;
    if (state == State.CLOSED) {
      dispatcher.lost(ended, cause);
      return;
    }
    state = State.PAUSING;
    addressIndex = (addressIndex + 1) % settings.addresses().size();
    if (ended.answered()) {
      backoff.reset();
    }
    // A breach after the handshake may pass; a handshake that fails so is for a person to mend.
    boolean hopeless = !ended.wasReady() && cause.category() == Category.INCOMPATIBLE;
    incompatibleInRow = hopeless ? incompatibleInRow + 1 : 0;
    long pauseNanos = backoff.nextNanos();
    if (Integer.bitCount(backoff.failures()) == 1) {
      // Failures 1, 2, 4, 8...: an oracle that is away for a day costs some twenty lines.
      LOG.warn(
          "{}; failure {} in a row, next attempt in {}",
          cause.getMessage(),
          backoff.failures(),
          Durations.text(pauseNanos));
    }
    dispatcher.lost(ended, cause);
    if (incompatibleInRow >= settings.addresses().size()) {
      // Trying again cannot help until somebody acts: wait for the next call to ask for it.
      incompatibleInRow = 0;
      state = State.IDLE;
      dispatcher.refuse(cause);
    } else {
      loop.schedule(this::connect, pauseNanos);
    }
  }

  /** Ends the connection and makes no other. */
  void close(OracleException cause) {
    state = State.CLOSED;
    if (connection != null) {
      connection.end(cause);
    }
  }
}
