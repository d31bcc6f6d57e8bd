package io.retso.bench.bounds;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import javax.management.AttributeNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** What processes of HBase on this machine tell of the coprocessor, by JMX. Stateless. */
final class RegionServers {
  private static final String BEANS = "Hadoop:service=HBase,name=RegionServer,*";

  private RegionServers() {}

  /** A figure of a process, some seconds old; 0 if it has none. */
  static double figure(long pid, String name) throws IOException {
    try {
      VirtualMachine process = VirtualMachine.attach(Long.toString(pid));
      try (JMXConnector connector =
          JMXConnectorFactory.connect(new JMXServiceURL(process.startLocalManagementAgent()))) {
        return figure(connector.getMBeanServerConnection(), name);
      } finally {
        process.detach();
      }
    } catch (AttachNotSupportedException | JMException e) {
      throw new IOException("process " + pid + " does not tell " + name, e);
    }
  }

  private static double figure(MBeanServerConnection beans, String name)
      throws IOException, JMException {
    double sum = 0;
    for (ObjectName bean : beans.queryNames(new ObjectName(BEANS), null)) {
      try {
        sum += ((Number) beans.getAttribute(bean, name)).doubleValue();
      } catch (AttributeNotFoundException e) {
        continue; // figures of something else
      }
    }
    return sum;
  }
}
