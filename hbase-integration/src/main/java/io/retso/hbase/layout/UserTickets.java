package io.retso.hbase.layout;

import io.retso.client.KerberosLogin;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.security.UserGroupInformation;

/** The tickets of Kerberos that a user of Hadoop has. Immutable and thread-safe. */
final class UserTickets implements KerberosLogin {
  private final UserGroupInformation user;

  /** Those of a user; one that stands for another has the tickets of the real one. */
  UserTickets(UserGroupInformation user) {
    UserGroupInformation real = user.getRealUser();
    this.user = real == null ? user : real;
  }

  @Override
  public byte[] run(PrivilegedExceptionAction<byte[]> action)
      throws IOException, InterruptedException {
    user.checkTGTAndReloginFromKeytab(); // which does nothing for a user without a keytab
    return user.doAs(action);
  }
}
