package io.retso.hbase.coprocessor.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.VouchedToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;

/** For whom a region server vouches, and how often it asks the oracle. */
class UserTokensTest {
  private static final long HOUR = TimeUnit.HOURS.toMillis(1);

  private final Configuration server = new Configuration(false);
  private final List<String> asked = new ArrayList<>();
  private long nanos = Long.MAX_VALUE - TimeUnit.MINUTES.toNanos(1); // it may wrap around
  private final UserTokens tokens =
      new UserTokens(server, this::ask, CompletableFuture::join, () -> nanos);

  UserTokensTest() {
    server.set("hbase.security.authentication", "kerberos");
    server.set("hbase.rpc.protection", "privacy");
  }

  private CompletableFuture<VouchedToken> ask(String user) {
    asked.add(user);
    byte[] token = (user + asked.size()).getBytes(StandardCharsets.US_ASCII);
    return CompletableFuture.completedFuture(new VouchedToken(token, HOUR));
  }

  private String token(String user) throws IOException {
    User known = User.create(UserGroupInformation.createRemoteUser(user));
    return new String(tokens.of(Optional.of(known)), StandardCharsets.US_ASCII);
  }

  private void assertRefused(String why) {
    DoNotRetryIOException e = assertThrows(DoNotRetryIOException.class, () -> token("bob"));
    assertTrue(e.getMessage().contains(why), e.getMessage());
    assertTrue(asked.isEmpty());
  }

  @Test
  void aTokenIsGivenUntilHalfOfItsLifeIsOver() throws IOException {
    assertEquals("bob1", token("bob"));
    assertEquals("eve2", token("eve"), "nobody gets that of another");
    nanos += TimeUnit.MILLISECONDS.toNanos(HOUR / 2) - 1;
    assertEquals("bob1", token("bob"));
    nanos++;
    assertEquals("bob3", token("bob"));
  }

  @Test
  void tokensAreKeptOfSoManyUsers() throws IOException {
    for (int i = 0; i <= UserTokens.USERS_MAX; i++) {
      token("u" + i);
    }
    int before = asked.size();
    token("u" + UserTokens.USERS_MAX);
    assertEquals(before, asked.size());
    token("u0");
    assertEquals(before + 1, asked.size());
  }

  @Test
  void usersThatHBaseDoesNotVerifyAreAnybody() {
    server.set("hbase.security.authentication", "simple");
    assertRefused("HBase does not verify its users; set hbase.security.authentication = kerberos");
    server.set("hbase.security.authentication", "kerberos");
    server.set("hbase.ipc.server.fallback-to-simple-auth-allowed", "true");
    assertRefused("HBase lets in users that it does not verify");
  }

  @Test
  void tokensDoNotTravelInClear() throws IOException {
    server.set("hbase.rpc.protection", "privacy,authentication");
    assertRefused("its token could be read on its way; set hbase.rpc.protection = privacy");
    server.set("hbase.server.netty.tls.enabled", "true");
    assertRefused("hbase.server.netty.tls.supportplaintext = false");
    server.set("hbase.server.netty.tls.supportplaintext", "false");
    assertEquals("bob1", token("bob"));
  }

  @Test
  void aRegionServerItselfGetsNone() {
    assertThrows(DoNotRetryIOException.class, () -> tokens.of(Optional.empty()));
  }
}
