package io.retso.log.bookkeeper;

import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.function.BiFunction;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;

/**
 * A server's identity in ZooKeeper, and which clients may read and change the nodes that it makes:
 * all, or those with that identity. Immutable, thread-safe; has no text.
 */
public final class ZooKeeperAccess {
  /** It has no identity, and every client may do everything. */
  public static final ZooKeeperAccess OPEN = new ZooKeeperAccess(false, List.of());

  /** ZooKeeper's scheme of users with passwords. */
  public static final String DIGEST = "digest";

  /** What a key is made for that is a password. */
  private static final String PURPOSE = "password of ZooKeeper";

  private static final String USER = "retso";

  private final boolean secured;
  private final List<String> passwords;

  private ZooKeeperAccess(boolean secured, List<String> passwords) {
    this.secured = secured;
    this.passwords = passwords;
  }

  /** Its identity is the connection's: by SASL, or by the certificate of TLS. */
  public static ZooKeeperAccess byConnection() {
    return new ZooKeeperAccess(true, List.of());
  }

  /**
   * It knows passwords that come from a secret.
   *
   * @param keys gives for a purpose and a log a key for each line of the secret
   */
  public static ZooKeeperAccess bySecret(BiFunction<String, String, List<byte[]>> keys) {
    // The id of the log is in ZooKeeper, so it is not known yet.
    return byPasswords(keys.apply(PURPOSE, "").stream().map(HexFormat.of()::formatHex).toList());
  }

  /** It knows these passwords: one, or while that is replaced both. */
  public static ZooKeeperAccess byPasswords(List<String> passwords) {
    return new ZooKeeperAccess(true, List.copyOf(passwords));
  }

  /** One with the same identity, which leaves the nodes that it makes open to all. */
  public ZooKeeperAccess withOpenNodes() {
    return new ZooKeeperAccess(false, passwords);
  }

  /** Whether nodes are its own alone. */
  public boolean isSecured() {
    return secured;
  }

  /** Passwords of which it knows each; empty if it has none. */
  public List<String> passwords() {
    return passwords;
  }

  /** What {@link ZooKeeper#addAuthInfo} takes in the scheme {@link #DIGEST}, for each password. */
  public List<byte[]> identities() {
    return passwords.stream()
        .map(password -> (USER + ":" + password).getBytes(StandardCharsets.UTF_8))
        .toList();
  }

  /** Identifies itself to ZooKeeper, on this connection and those that follow it in the session. */
  public void authenticate(ZooKeeper session) {
    identities().forEach(identity -> session.addAuthInfo(DIGEST, identity));
  }

  /** Which clients may do what with the nodes that it makes. */
  public List<ACL> acls() {
    if (!secured) {
      return ZooDefs.Ids.OPEN_ACL_UNSAFE;
    }
    return passwords.isEmpty() ? ZooDefs.Ids.CREATOR_ALL_ACL : idsOfPasswords();
  }

  private List<ACL> idsOfPasswords() {
    return identities().stream()
        .map(identity -> new ACL(ZooDefs.Perms.ALL, new Id(DIGEST, digest(identity))))
        .toList();
  }

  private static String digest(byte[] identity) {
    try {
      return DigestAuthenticationProvider.generateDigest(
          new String(identity, StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this Java has not what ZooKeeper makes passwords with", e);
    }
  }

  /** Whether it may read and change a node that these may. */
  boolean isAmong(List<ACL> acls) {
    return acls.stream()
        .anyMatch(acl -> ZooDefs.Ids.OPEN_ACL_UNSAFE.contains(acl) || acls().contains(acl));
  }
}
