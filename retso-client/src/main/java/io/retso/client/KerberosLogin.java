package io.retso.client;

import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * Has the tickets of Kerberos by which a client identifies itself, such as a {@code Subject} that
 * {@code Krb5LoginModule} has logged in. Called by one thread of a client at a time; one of several
 * clients must be thread-safe.
 */
@InterfaceAudience.Public
public interface KerberosLogin {
  /**
   * Has an action carried out with these tickets, in the thread of the caller. May see first that
   * they are fresh, and wait for that.
   *
   * @throws IOException if there are none, or the action fails so
   */
  byte[] run(PrivilegedExceptionAction<byte[]> action) throws IOException, InterruptedException;
}
