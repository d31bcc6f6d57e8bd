package io.retso.hbase.coprocessor.oracle;

import io.retso.client.VouchedToken;
import io.retso.text.Text;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.security.User;

/**
 * Tokens of the oracle for users that HBase has verified: this region server vouches for them. A
 * token is given out until half of its life is over. Thread-safe.
 */
public final class UserTokens {
  static final int USERS_MAX = 10_000;

  /** By it clients and servers of HBase prove their identity. */
  private static final String AUTHENTICATION = "hbase.security.authentication";

  private static final String FALLBACK = "hbase.ipc.server.fallback-to-simple-auth-allowed";
  private static final String PROTECTION = "hbase.rpc.protection";
  private static final String TLS = "hbase.server.netty.tls.enabled";
  private static final String TLS_OR_CLEAR = "hbase.server.netty.tls.supportplaintext";

  /** Waits for an answer of the oracle. */
  @FunctionalInterface
  interface Wait {
    VouchedToken on(CompletableFuture<VouchedToken> answer) throws IOException;
  }

  private record Kept(byte[] token, long untilNanos) {}

  private final Configuration server;
  private final Function<String, CompletableFuture<VouchedToken>> oracle;
  private final Wait wait;
  private final LongSupplier nanoClock;

  /** Guarded by itself; the one that was asked for longest ago goes first. */
  private final Map<String, Kept> kept =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Kept> eldest) {
          return size() > USERS_MAX;
        }
      };

  UserTokens(
      Configuration server,
      Function<String, CompletableFuture<VouchedToken>> oracle,
      Wait wait,
      LongSupplier nanoClock) {
    this.server = server;
    this.oracle = oracle;
    this.wait = wait;
    this.nanoClock = nanoClock;
  }

  /**
   * A token for the user of a request.
   *
   * @param caller empty if the server asks itself
   * @throws DoNotRetryIOException if this server does not vouch for it, or the oracle does not take
   *     that
   * @throws IOException if the oracle does not answer
   */
  public byte[] of(Optional<User> caller) throws IOException {
    User user =
        caller.orElseThrow(
            () -> refused("itself", "the request is no user's", "an application up that asks"));
    String name = user.getName();
    checkVerified(name);
    checkPrivate(name);
    synchronized (kept) {
      Kept known = kept.get(name);
      if (known != null && nanoClock.getAsLong() - known.untilNanos < 0) {
        return known.token;
      }
    }
    long askedAt = nanoClock.getAsLong();
    VouchedToken token = wait.on(oracle.apply(name));
    long halfNanos = TimeUnit.MILLISECONDS.toNanos(token.lastsMillis() / 2);
    synchronized (kept) {
      kept.put(name, new Kept(token.bytes(), askedAt + halfNanos));
    }
    return token.bytes();
  }

  private void checkVerified(String name) throws DoNotRetryIOException {
    if (!server.get(AUTHENTICATION, "simple").equals("kerberos")) {
      throw refused(
          name,
          "HBase does not verify its users",
          AUTHENTICATION + " = kerberos, or give the application a token");
    }
    if (server.getBoolean(FALLBACK, false)) {
      throw refused(name, "HBase lets in users that it does not verify", FALLBACK + " = false");
    }
  }

  /** A token that others can read on its way can be used by them. */
  private void checkPrivate(String name) throws DoNotRetryIOException {
    boolean isEncrypted =
        server.get(PROTECTION, "authentication").trim().equalsIgnoreCase("privacy")
            || server.getBoolean(TLS, false) && !server.getBoolean(TLS_OR_CLEAR, true);
    if (!isEncrypted) {
      throw refused(
          name,
          "its token could be read on its way",
          PROTECTION + " = privacy, or " + TLS + " = true and " + TLS_OR_CLEAR + " = false");
    }
  }

  private static DoNotRetryIOException refused(String name, String why, String remedy) {
    return new DoNotRetryIOException(
        Text.of("this region server does not vouch for %s: %s; set %s", name, why, remedy));
  }
}
