package io.retso.bench.attack;

import io.netty.buffer.ByteBuf;
import io.retso.protocol.FrameType;
import io.retso.protocol.Limits;
import io.retso.protocol.Timestamps;
import java.util.concurrent.ThreadLocalRandom;

/** What a client may do to a server without breaking the protocol. */
enum Attack {
  BEGINS("begins, 4,096 a frame", 16) {
    @Override
    void welcomed(Attacker a) {
      for (int i = 0; i < IN_FLIGHT; i++) {
        a.begin(Limits.FRAME_TIMESTAMPS_MAX);
      }
    }

    @Override
    void begun(Attacker a, long first, int count) {
      a.begin(count);
    }
  },

  OPEN_TRANSACTIONS("transactions that never end", 8) {
    @Override
    void welcomed(Attacker a) {
      for (int i = 0; i < IN_FLIGHT; i++) {
        a.begin(SMALL);
      }
    }

    @Override
    void begun(Attacker a, long first, int count) {
      a.begin(count);
    }
  },

  LARGE_COMMITS("commits of 100,000 rows", 4) {
    @Override
    void welcomed(Attacker a) {
      a.begin(1);
    }

    @Override
    void begun(Attacker a, long first, int count) {
      a.commit(first, 1, Limits.TRANSACTION_ROWS_MAX, false);
    }

    @Override
    void decided(Attacker a, long first, int count) {
      a.cleaned(first, count);
      a.begin(1);
    }
  },

  MANY_LARGE_COMMITS("the same on 200 connections", 200) {
    @Override
    void welcomed(Attacker a) {
      a.begin(1);
    }

    @Override
    void begun(Attacker a, long first, int count) {
      LARGE_COMMITS.begun(a, first, count);
    }

    @Override
    void decided(Attacker a, long first, int count) {
      LARGE_COMMITS.decided(a, first, count);
    }
  },

  LARGE_CERTIFICATIONS("commits with 100,000 reads, serializable", 4) {
    @Override
    void welcomed(Attacker a) {
      a.begin(1);
    }

    @Override
    void begun(Attacker a, long first, int count) {
      a.certify(first, Limits.TRANSACTION_ROWS_MAX - 1);
    }

    @Override
    void decided(Attacker a, long first, int count) {
      a.cleaned(first, count);
      a.begin(1);
    }
  },

  SMALL_COMMITS("commits of 1 row, 4,096 a frame", 16) {
    @Override
    void welcomed(Attacker a) {
      a.begin(Limits.FRAME_TIMESTAMPS_MAX);
    }

    @Override
    void begun(Attacker a, long first, int count) {
      a.commit(first, count, 1, false);
    }

    @Override
    void decided(Attacker a, long first, int count) {
      a.cleaned(first, count);
      a.begin(Limits.FRAME_TIMESTAMPS_MAX);
    }
  },

  REPEATS("repeats of commits, pipelined", 8) {
    @Override
    void welcomed(Attacker a) {
      a.begin(REPEATED);
    }

    @Override
    void begun(Attacker a, long first, int count) {
      a.commit(first, count, ROWS, false);
      for (int i = 1; i < IN_FLIGHT; i++) {
        a.commit(first, count, ROWS, true);
      }
    }

    @Override
    void decided(Attacker a, long first, int count) {
      a.commit(first, count, ROWS, true);
    }
  },

  /** Each row is new: others are pushed out of the oracle's memory. */
  BULK_WRITER("a bulk writer, commits of 1,000 rows", 8) {
    @Override
    void welcomed(Attacker a) {
      a.begin(IN_FLIGHT);
    }

    @Override
    void begun(Attacker a, long first, int count) {
      a.commit(first, count, BULK_ROWS, false);
    }

    @Override
    void decided(Attacker a, long first, int count) {
      a.cleaned(first, count);
      a.begin(count);
    }
  },

  QUERIES("status queries, 16,384 a frame", 8) {
    @Override
    void welcomed(Attacker a) {
      a.begin(1);
    }

    @Override
    void begun(Attacker a, long first, int count) {
      a.query(first, Limits.FRAME_REQUESTS_MAX);
      a.query(first, Limits.FRAME_REQUESTS_MAX);
    }

    @Override
    void answered(Attacker a, long first) {
      a.query(first, Limits.FRAME_REQUESTS_MAX);
    }
  },

  WATERMARKS("questions for the low watermark", 8) {
    @Override
    void welcomed(Attacker a) {
      for (int i = 0; i < IN_FLIGHT; i++) {
        a.watermark();
      }
    }

    @Override
    void answered(Attacker a, long first) {
      a.watermark();
    }
  },

  SWEEPS("reports of sweeps, 16,384 a frame", 8) {
    @Override
    void welcomed(Attacker a) {
      a.begin(1);
    }

    @Override
    void begun(Attacker a, long first, int count) {
      a.swept(first, Limits.FRAME_REQUESTS_MAX);
    }

    @Override
    void answered(Attacker a, long first) {
      a.begin(1); // a later one each time, so that there is something to sweep
    }
  },

  SLOW_READERS("replies that are never read", 64) {
    @Override
    void welcomed(Attacker a) {
      a.begin(1);
    }

    @Override
    void begun(Attacker a, long first, int count) {
      a.stopReading();
      for (int i = 0; i < UNREAD; i++) {
        a.query(first, Limits.FRAME_TIMESTAMPS_MAX);
      }
    }
  },

  UNFINISHED_FRAMES("frames that are never finished", 200) {
    @Override
    void welcomed(Attacker a) {
      a.halfACommit();
    }
  },

  CONNECTIONS("connections beyond the limit, idle", 400) {
    @Override
    void welcomed(Attacker a) {}
  },

  RECONNECTS("connections opened and closed", 64) {
    @Override
    void welcomed(Attacker a) {
      a.reconnect();
    }
  },

  /** The last one: what it leaves uncleaned stays in the server. */
  UNCLEANED("commits that are never cleaned up", 8) {
    @Override
    void welcomed(Attacker a) {
      a.begin(REPEATED);
    }

    @Override
    void begun(Attacker a, long first, int count) {
      a.commit(first, count, 1, false);
    }

    @Override
    void decided(Attacker a, long first, int count) {
      a.begin(count);
    }
  };

  private static final int IN_FLIGHT = 8;
  private static final int SMALL = 64;
  private static final int REPEATED = 500;
  private static final int ROWS = 20;
  private static final int BULK_ROWS = 1_000;
  private static final int UNREAD = 200;

  private final String label;
  private final int connections;

  Attack(String label, int connections) {
    this.label = label;
    this.connections = connections;
  }

  /** Connections from one address. */
  int connections() {
    return connections;
  }

  /** A connection is ready. */
  abstract void welcomed(Attacker a);

  /** Start timestamps arrived. */
  void begun(Attacker a, long first, int count) {}

  /** Commits are decided, or refused. */
  void decided(Attacker a, long first, int count) {}

  /** Queries are answered; {@code first} is the last start timestamp of this connection. */
  void answered(Attacker a, long first) {}

  /** Fills in a status query about one of the last million timestamps. */
  static void writeQuery(ByteBuf to, long reader) {
    long back = (long) ThreadLocalRandom.current().nextInt(1_000_000) << Timestamps.GAP_BITS;
    to.writeLong(Math.max(Timestamps.GAP, reader - back)).writeLong(reader);
  }

  /** Whether replies to a type of frame are an attack's answers. */
  static boolean isAnswer(FrameType type) {
    return type == FrameType.STATUS || type == FrameType.WATERMARK || type == FrameType.SWEPT;
  }

  @Override
  public String toString() {
    return label;
  }
}
