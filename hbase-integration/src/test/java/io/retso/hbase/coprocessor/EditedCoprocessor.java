package io.retso.hbase.coprocessor;

import static io.retso.edited.EditedClasses.placeOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.retso.edited.EditedClasses;
import io.retso.edited.SourceEdit;
import io.retso.hbase.EditedClient;
import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.layout.Refusal;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * The coprocessor with one edit in a source file, as a jar, and tests of its packages that are run
 * on it. Region servers load the jar for the tables of such a test, as they do in production; other
 * tables keep the classes of this process.
 */
final class EditedCoprocessor implements AutoCloseable {
  private static final Path SOURCES = Path.of("src/main/java");
  private static final String PACKAGE = "io/retso/hbase/";

  /**
   * A rule that is broken, how, and the test that says so.
   *
   * @param text in the file; once
   */
  record Bug(String name, String file, String text, String instead, Class<?> test, String method) {
    @Override
    public String toString() {
      return name;
    }

    /** Fails unless the test method fails on the edited coprocessor; prints how. */
    void assertCaught(Path directory, RetsoCluster cluster) throws Exception {
      try (EditedCoprocessor edited = new EditedCoprocessor(directory, file, text, instead)) {
        Throwable failed = edited.run(test, method, cluster);
        assertNotNull(failed, method + " does not see it");
        System.out.println(name + ": " + failed.toString().lines().findFirst().orElse(""));
      }
    }
  }

  private final EditedClasses loader;

  /**
   * Compiles.
   *
   * @param directory empty; sources, classes and jar go there
   * @param file of the coprocessor or the classes that it shares with clients, under {@code
   *     io.retso.hbase}
   */
  EditedCoprocessor(Path directory, String file, String text, String instead) throws IOException {
    Path classes = directory.resolve("classes");
    Path built = Path.of(URI.create(placeOf(TransactionRegionObserver.class).toString()));
    for (String part : List.of("coprocessor", "resolve", "layout")) {
      copy(built.resolve(PACKAGE + part), classes.resolve(PACKAGE + part));
    }
    new SourceEdit(SOURCES.resolve(PACKAGE + file), text, instead).compile(classes);
    Path jar = directory.resolve("coprocessor.jar");
    pack(classes, jar);
    this.loader =
        new EditedClasses(
            EditedCoprocessor::isOurs, List.of(jar.toUri().toURL(), placeOf(getClass())));
  }

  private static boolean isOurs(String name) {
    return name.startsWith("io.retso.hbase.coprocessor.")
        || name.startsWith("io.retso.hbase.resolve.")
        || name.startsWith("io.retso.hbase.layout.");
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to.getParent());
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path copy = to.resolve(from.relativize(file));
        if (Files.isDirectory(file)) {
          Files.createDirectories(copy);
        } else {
          Files.copy(file, copy);
        }
      }
    }
  }

  private static void pack(Path classes, Path jar) throws IOException {
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream entries = new JarOutputStream(out);
        Stream<Path> all = Files.walk(classes)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        entries.putNextEntry(new JarEntry(classes.relativize(file).toString()));
        Files.copy(file, entries);
      }
    }
  }

  /**
   * Runs one test method of one of the packages; one with a parameter is given 1, 2, ... as seeds.
   *
   * @return how it failed, a refusal where none is due included, or null if it passed
   * @throws ReflectiveOperationException if it did not get as far as to judge
   */
  Throwable run(Class<?> test, String method, RetsoCluster cluster)
      throws ReflectiveOperationException {
    Class<?> type = Class.forName(test.getName(), true, loader);
    Constructor<?> constructor = type.getDeclaredConstructor();
    constructor.setAccessible(true);
    Object instance = constructor.newInstance();
    callAll(BeforeEach.class, instance, cluster);
    Fixture.patienceSeconds = EditedClient.PATIENCE_SECONDS;
    try {
      for (Method each : type.getDeclaredMethods()) {
        if (each.getName().equals(method)) {
          return judge(each, instance);
        }
      }
      throw new NoSuchMethodException(type + "." + method);
    } finally {
      Fixture.patienceSeconds = Fixture.PATIENCE_SECONDS;
      callAll(AfterEach.class, instance, cluster);
    }
  }

  private static Throwable judge(Method method, Object instance)
      throws ReflectiveOperationException {
    method.setAccessible(true);
    try {
      if (method.getParameterCount() == 0) {
        method.invoke(instance);
      } else {
        for (long seed = 1; seed <= 10_000; seed++) {
          method.invoke(instance, seed);
        }
      }
      return null;
    } catch (InvocationTargetException e) {
      if (isVerdict(e.getCause())) {
        return e.getCause();
      }
      throw e;
    }
  }

  /** A failed assertion of the test, or one of the coprocessor, which HBase passes on as text. */
  private static boolean isVerdict(Throwable failed) {
    if (failed instanceof AssertionError || Refusal.of(failed) != null) {
      return true;
    }
    for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
      if (String.valueOf(cause.getMessage()).contains(AssertionError.class.getName())) {
        return true;
      }
    }
    return false;
  }

  private static void callAll(
      Class<? extends Annotation> annotation, Object instance, RetsoCluster cluster)
      throws ReflectiveOperationException {
    for (Method method : instance.getClass().getDeclaredMethods()) {
      if (method.isAnnotationPresent(annotation)) {
        method.setAccessible(true);
        Object[] none = {};
        method.invoke(instance, method.getParameterCount() == 0 ? none : new Object[] {cluster});
      }
    }
  }

  @Override
  public void close() throws IOException {
    loader.close();
  }
}
