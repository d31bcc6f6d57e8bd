package io.retso.hbase;

import static io.retso.edited.EditedClasses.placeOf;

import io.retso.edited.EditedClasses;
import io.retso.edited.SourceEdit;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Tests that are run on the client with an edit in one of its sources. Stateless. */
public final class EditedClient {
  private static final Path SOURCES = Path.of("src/main/java/io/retso/hbase");

  /** For what a bug may keep from happening; all else happens within a second or two. */
  public static final int PATIENCE_SECONDS = 10;

  private EditedClient() {}

  /** An edit of a file under {@code io.retso.hbase}. */
  public static SourceEdit edit(String file, String text, String instead) {
    return new SourceEdit(SOURCES.resolve(file), text, instead);
  }

  /**
   * Runs one test method, on a fixture of its own.
   *
   * @param classes empty, or as the last call left it
   * @return how it failed; null if it passed
   */
  public static AssertionError failure(
      SourceEdit edit, Path classes, Class<?> test, String method, RetsoCluster cluster)
      throws Exception {
    edit.compile(classes);
    try (EditedClasses loader =
            new EditedClasses(
                EditedClient::isOfTheClient,
                List.of(
                    classes.toUri().toURL(),
                    placeOf(TransactionManager.class),
                    placeOf(Fixture.class)));
        AutoCloseable fixture = fixture(loader, cluster)) {
      return run(Class.forName(test.getName(), true, loader), method, fixture);
    }
  }

  /** The cluster is that of this process, and so are its regions. */
  private static boolean isOfTheClient(String name) {
    return name.startsWith("io.retso.hbase.")
        && !name.startsWith("io.retso.hbase.RetsoCluster")
        && !name.startsWith("io.retso.hbase.coprocessor.")
        && !name.startsWith("io.retso.hbase.embedded.");
  }

  private static AutoCloseable fixture(EditedClasses loader, RetsoCluster cluster)
      throws ReflectiveOperationException {
    Class<?> fixture = Class.forName(Fixture.class.getName(), true, loader);
    Field patience = fixture.getField("patienceSeconds");
    patience.setInt(null, PATIENCE_SECONDS);
    return (AutoCloseable) fixture.getConstructor(RetsoCluster.class).newInstance(cluster);
  }

  /** One with a parameter gets the second of the modes, server reads. */
  private static AssertionError run(Class<?> test, String name, Object fixture) throws Exception {
    Constructor<?> constructor = test.getDeclaredConstructor();
    constructor.setAccessible(true);
    Object instance = constructor.newInstance();
    for (Method method : test.getDeclaredMethods()) {
      if (method.isAnnotationPresent(BeforeEach.class)) {
        method.setAccessible(true);
        method.invoke(instance, fixture);
      }
    }
    Method method =
        Arrays.stream(test.getDeclaredMethods())
            .filter(each -> each.getName().equals(name))
            .findFirst()
            .orElseThrow();
    method.setAccessible(true);
    try {
      if (method.getParameterCount() == 0) {
        method.invoke(instance);
      } else {
        Field modes = test.getDeclaredField("MODES");
        modes.setAccessible(true);
        method.invoke(instance, ((List<?>) modes.get(null)).get(1));
      }
      return null;
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof AssertionError caught) {
        return caught;
      }
      throw e;
    } finally {
      for (Method after : test.getDeclaredMethods()) {
        if (after.isAnnotationPresent(AfterEach.class) && after.getParameterCount() == 0) {
          after.setAccessible(true);
          after.invoke(instance);
        }
      }
    }
  }
}
