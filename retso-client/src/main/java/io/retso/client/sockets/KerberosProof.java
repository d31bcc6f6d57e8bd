package io.retso.client.sockets;

import io.retso.client.KerberosLogin;
import io.retso.client.connection.Proof;
import io.retso.client.connection.ProofException;
import io.retso.protocol.Authentication;
import io.retso.text.KerberosText;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import javax.security.sasl.Sasl;
import javax.security.sasl.SaslClient;

/**
 * A client proves its identity by tickets of Kerberos. Its steps ask the Kerberos servers, which
 * may hang, on a thread beside the event loop.
 */
final class KerberosProof implements Proof {
  /** What the oracle's principals begin with. */
  private static final String SERVICE = "retso";

  /** TLS protects what follows; both sides prove their identity. */
  private static final Map<String, String> PROPERTIES =
      Map.of(Sasl.QOP, "auth", Sasl.SERVER_AUTH, "true");

  private final KerberosLogin login;
  private final String host;
  private final Executor beside;
  private final Executor loop;

  /** For the thread beside; null before the first step. */
  private SaslClient client;

  /**
   * Begins.
   *
   * @param host for which the server's certificate is
   * @param beside runs one step at a time, and may refuse
   */
  KerberosProof(KerberosLogin login, String host, Executor beside, Executor loop) {
    this.login = login;
    this.host = host;
    this.beside = beside;
    this.loop = loop;
  }

  @Override
  public String mechanism() {
    return Authentication.KERBEROS;
  }

  @Override
  public void next(byte[] challenge, BiConsumer<byte[], ProofException> asker) {
    try {
      beside.execute(() -> step(challenge, asker));
    } catch (RejectedExecutionException e) {
      asker.accept(
          null,
          new ProofException(
              "tickets of Kerberos were asked for before, and have not come: see whether its"
                  + " servers answer (kinit)",
              true,
              e));
    }
  }

  private void step(byte[] challenge, BiConsumer<byte[], ProofException> asker) {
    byte[] response = null;
    ProofException failure = null;
    try {
      response = login.run(() -> evaluate(challenge));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      failure = failed(e);
    } catch (IOException | RuntimeException | Error e) { // the JDK may lack a part
      failure = failed(e);
    }
    byte[] answer = response;
    ProofException cause = failure;
    try {
      loop.execute(() -> asker.accept(answer, cause));
    } catch (RejectedExecutionException e) {
      // The client was closed.
    }
  }

  private byte[] evaluate(byte[] challenge) throws IOException {
    if (client == null) {
      String[] mechanisms = {Authentication.KERBEROS};
      client = Sasl.createSaslClient(mechanisms, null, SERVICE, host, PROPERTIES, null);
      if (client == null) {
        throw new IOException("this Java has no Kerberos: use one with module jdk.security.jgss");
      }
    }
    byte[] response = client.evaluateChallenge(challenge);
    return response == null ? new byte[0] : response;
  }

  private ProofException failed(Throwable e) {
    return new ProofException(
        "no ticket for "
            + SERVICE
            + "/"
            + host
            + " ("
            + KerberosText.reason(e)
            + "): "
            + KerberosText.remedyOfClient(e),
        KerberosText.mayPass(e),
        e);
  }
}
