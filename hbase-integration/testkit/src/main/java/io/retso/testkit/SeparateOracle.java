package io.retso.testkit;

import io.retso.hbase.TransactionManager;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * An oracle with classes of its own. The application's jar, hbase-integration, has the protocol of
 * the oracle inside, on a Netty under another name: which of the two a server would get depended on
 * the order of the class path. So it is loaded from all of the class path but that jar.
 */
final class SeparateOracle implements Closeable {
  private final URLClassLoader classes;
  private final Closeable oracle;

  SeparateOracle() throws Exception {
    classes = new URLClassLoader("oracle", urls(), ClassLoader.getPlatformClassLoader());
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(classes);
    try {
      Class<?> type = classes.loadClass(KitOracle.class.getName());
      oracle = (Closeable) type.getConstructor().newInstance();
    } catch (InvocationTargetException e) {
      classes.close();
      throw e.getCause() instanceof Exception cause ? cause : e;
    } catch (ReflectiveOperationException e) {
      classes.close();
      throw new IllegalStateException(
          "the test kit's classes are not on the class path of the JVM (java.class.path)", e);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private static URL[] urls() throws MalformedURLException {
    URL applications = TransactionManager.class.getProtectionDomain().getCodeSource().getLocation();
    List<URL> urls = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      URL url = Path.of(entry).toUri().toURL();
      if (!url.equals(applications)) {
        urls.add(url);
      }
    }
    return urls.toArray(URL[]::new);
  }

  int port() {
    return ((IntSupplier) oracle).getAsInt();
  }

  @Override
  public void close() throws IOException {
    oracle.close();
    classes.close();
  }
}
