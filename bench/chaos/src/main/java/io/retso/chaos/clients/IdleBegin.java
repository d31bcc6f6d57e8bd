package io.retso.chaos.clients;

import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.protocol.Handshake;

/** Times the first begin after an idle time, beside an echo of the same frames. For one thread. */
final class IdleBegin {
  /** Until code is compiled, and connections are as they will be. */
  private static final int WARM_UP = 5_000;

  private final OracleClient oracle;
  private final OracleClient echo;
  private boolean echoFirst;

  IdleBegin(ClientsPlan plan) {
    oracle = plan.client("idle").mode(Handshake.Mode.ORACLE).build();
    echo = plan.client("idle").mode(Handshake.Mode.ECHO).build();
    for (int i = 0; i < WARM_UP; i++) {
      oracle.endLater(oracle.begin());
      echo.begin();
    }
  }

  /** Nanoseconds of a begin and of an echo, each after an idle time; they go first in turns. */
  Clients.Idle after(long millis) throws InterruptedException {
    long[] nanos = new long[2];
    echoFirst = !echoFirst;
    for (int i = 0; i < 2; i++) {
      boolean isEcho = (i == 0) == echoFirst;
      OracleClient client = isEcho ? echo : oracle;
      Thread.sleep(millis);
      long asked = System.nanoTime();
      TransactionHandle start = client.begin();
      nanos[isEcho ? 1 : 0] = System.nanoTime() - asked;
      if (!isEcho) {
        client.endLater(start);
      }
    }
    return new Clients.Idle(nanos[0], nanos[1]);
  }
}
