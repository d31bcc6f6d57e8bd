package io.retso.client.sockets;

import io.retso.client.TokenSource;
import io.retso.client.connection.Proof;
import io.retso.client.connection.ProofException;
import io.retso.protocol.Authentication;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;

/** A client proves its identity by a token, which may take long to get. */
final class TokenProof implements Proof {
  private final TokenSource source;
  private final Executor beside;
  private final Executor loop;

  /**
   * By the next token of a source.
   *
   * @param beside asks it, one at a time, and may refuse
   */
  TokenProof(TokenSource source, Executor beside, Executor loop) {
    this.source = source;
    this.beside = beside;
    this.loop = loop;
  }

  /** By one that is there. */
  static Proof of(byte[] token) {
    return new TokenProof(() -> token, Runnable::run, Runnable::run);
  }

  @Override
  public String mechanism() {
    return Authentication.TOKEN;
  }

  @Override
  public void next(byte[] challenge, BiConsumer<byte[], ProofException> asker) {
    try {
      beside.execute(() -> ask(asker));
    } catch (RejectedExecutionException e) {
      String text = "tokens were asked for before, and have not come: see whether HBase answers";
      asker.accept(null, new ProofException(text, true, e));
    }
  }

  private void ask(BiConsumer<byte[], ProofException> asker) {
    byte[] found = null;
    ProofException failure = null;
    try {
      found = source.token();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      failure = failed(e, true);
    } catch (IOException e) {
      failure = failed(e, true);
    } catch (RuntimeException | Error e) {
      failure = failed(e, false);
    }
    byte[] token = found;
    ProofException cause = failure;
    try {
      loop.execute(() -> asker.accept(token, cause));
    } catch (RejectedExecutionException e) {
      // The client was closed.
    }
  }

  private static ProofException failed(Throwable e, boolean passes) {
    return new ProofException("there is no token for it: " + ErrorText.of(e), passes, e);
  }
}
