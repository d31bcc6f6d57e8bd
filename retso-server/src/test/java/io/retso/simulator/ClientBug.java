package io.retso.simulator;

import io.netty.buffer.ByteBuf;
import io.retso.protocol.Frames;

/** Clients that behave otherwise, as it looks from outside of them. */
final class ClientBug {
  /** In the body of a greeting. */
  private static final int EPOCH_OFFSET = 16;

  private ClientBug() {}

  static Parts withoutFlags() {
    return new Parts() {
      @Override
      boolean clientsFlagRepeats() {
        return false;
      }
    };
  }

  static Parts withoutEpochs() {
    return new Parts() {
      @Override
      void greeting(ByteBuf reply, int index) {
        reply.setLong(index + Frames.HEADER_BYTES + EPOCH_OFFSET, 1);
      }
    };
  }

  static Parts withMixedConnections() {
    return new Parts() {
      @Override
      boolean clientsKeepConnectionsApart() {
        return false;
      }
    };
  }

  static Parts telling(long outcome) {
    return new Parts() {
      @Override
      long toldInsteadOfUnknown() {
        return outcome;
      }
    };
  }
}
