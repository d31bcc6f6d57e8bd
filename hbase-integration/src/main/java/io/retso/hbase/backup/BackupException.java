package io.retso.hbase.backup;

import java.io.IOException;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * A backup that is not taken, or not restored; the message says why and what to do.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class BackupException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Says what happened and what to do about it; the cause may be null. */
  public BackupException(String message, Throwable cause) {
    super(message, cause);
  }
}
