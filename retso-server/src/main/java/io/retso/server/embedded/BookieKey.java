package io.retso.server.embedded;

import io.retso.log.bookkeeper.BookieAccess;
import io.retso.security.SharedKey;
import java.util.Arrays;
import java.util.HexFormat;
import org.apache.bookkeeper.auth.AuthCallbacks.GenericCallback;
import org.apache.bookkeeper.auth.AuthToken;
import org.apache.bookkeeper.auth.BookieAuthProvider;
import org.apache.bookkeeper.auth.ClientAuthProvider;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.conf.AbstractConfiguration;
import org.apache.bookkeeper.conf.ClientConfiguration;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.proto.BookieConnectionPeer;
import org.apache.bookkeeper.proto.ClientConnectionPeer;

/**
 * Embedded bookies serve only the server that they are in: both prove that they know a key that
 * comes from the secret, whenever they connect. Any account of the machine reaches the port.
 *
 * <pre>
 *   server   its number
 *   bookie   its number, and the proof for both
 *   server   the proof for both
 * </pre>
 *
 * <p>Immutable, thread-safe; has no text.
 */
public final class BookieKey {
  private static final String NAME = "retso-key";

  /** The key of configurations that has it; in this process only. */
  private static final String PROPERTY = "retsoKey";

  private static final String SERVER = "server";
  private static final String BOOKIE = "bookie";

  private final String hex;

  /** Makes it of a key, as {@link io.retso.security.ClusterSecret#keys} gives them. */
  public BookieKey(byte[] key) {
    hex = HexFormat.of().formatHex(key);
  }

  /** What the server's clients of BookKeeper go by. */
  public BookieAccess ofServer() {
    return configuration -> {
      configuration.setProperty(PROPERTY, hex);
      configuration.setClientAuthProviderFactoryClass(OfServer.class.getName());
    };
  }

  /** Has a bookie ask for it. */
  void ofBookie(ServerConfiguration configuration) {
    configuration.setProperty(PROPERTY, hex);
    configuration.setBookieAuthProviderFactoryClass(OfBookie.class.getName());
  }

  private static SharedKey key(AbstractConfiguration<?> configuration) {
    return new SharedKey(HexFormat.of().parseHex(configuration.getString(PROPERTY)));
  }

  /** The server's side; BookKeeper makes it by its name. */
  public static final class OfServer implements ClientAuthProvider.Factory {
    private SharedKey key;

    @Override
    public void init(ClientConfiguration configuration) {
      key = key(configuration);
    }

    @Override
    public String getPluginName() {
      return NAME;
    }

    @Override
    public ClientAuthProvider newProvider(
        ClientConnectionPeer connection, GenericCallback<Void> complete) {
      byte[] own = SharedKey.number();
      return new ClientAuthProvider() {
        @Override
        public void init(GenericCallback<AuthToken> send) {
          send.operationComplete(BKException.Code.OK, AuthToken.wrap(own));
        }

        @Override
        public void process(AuthToken said, GenericCallback<AuthToken> send) {
          byte[] other = number(said);
          if (!key.isProof(proof(said), BOOKIE, own, other)) {
            complete.operationComplete(BKException.Code.UnauthorizedAccessException, null);
            return;
          }
          send.operationComplete(
              BKException.Code.OK, AuthToken.wrap(key.proof(SERVER, own, other)));
          complete.operationComplete(BKException.Code.OK, null);
        }
      };
    }
  }

  /** The bookie's side; BookKeeper makes it by its name. */
  public static final class OfBookie implements BookieAuthProvider.Factory {
    private SharedKey key;

    @Override
    public void init(ServerConfiguration configuration) {
      key = key(configuration);
    }

    @Override
    public String getPluginName() {
      return NAME;
    }

    @Override
    public BookieAuthProvider newProvider(
        BookieConnectionPeer connection, GenericCallback<Void> complete) {
      byte[] own = SharedKey.number();
      return new BookieAuthProvider() {
        /** The server's number; null before it has said it. */
        private byte[] other;

        @Override
        public void process(AuthToken said, GenericCallback<AuthToken> send) {
          if (other == null && said.getData().length == SharedKey.NUMBER_BYTES) {
            other = said.getData();
            byte[] answer = Arrays.copyOf(own, SharedKey.NUMBER_BYTES + SharedKey.PROOF_BYTES);
            byte[] proof = key.proof(BOOKIE, other, own);
            System.arraycopy(proof, 0, answer, SharedKey.NUMBER_BYTES, SharedKey.PROOF_BYTES);
            send.operationComplete(BKException.Code.OK, AuthToken.wrap(answer));
          } else if (other != null && key.isProof(said.getData(), SERVER, other, own)) {
            complete.operationComplete(BKException.Code.OK, null);
          } else {
            connection.disconnect();
          }
        }
      };
    }
  }

  private static byte[] number(AuthToken said) {
    return Arrays.copyOf(said.getData(), SharedKey.NUMBER_BYTES);
  }

  /** What is behind the number; nothing if there is too little. */
  private static byte[] proof(AuthToken said) {
    byte[] data = said.getData();
    return Arrays.copyOfRange(data, Math.min(SharedKey.NUMBER_BYTES, data.length), data.length);
  }
}
