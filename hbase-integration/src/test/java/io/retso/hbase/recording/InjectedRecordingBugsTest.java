package io.retso.hbase.recording;

import static io.retso.edited.EditedClasses.placeOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.retso.edited.EditedClasses;
import io.retso.edited.SourceEdit;
import io.retso.hbase.EditedClient;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bugs in the bounds of a recording: edits, each of which is caught by a test of the recorder. */
@Timeout(120)
class InjectedRecordingBugsTest {
  /** An edit, and the test that catches it. */
  enum Bug {
    WHAT_IS_CUT_IS_NOT_SAID(
        "TransactionRecord",
        "(cut == 0 ? \"\" : \",\\\"cut\\\":\" + cut)",
        "\"\"",
        "whatIsCutIsSaid"),
    OPERATIONS_HAVE_NO_BOUND(
        "TransactionRecord", "count == OPERATIONS_MAX ||", "", "whatIsCutIsSaid"),
    THE_FILE_HAS_NO_BOUND(
        "Recorder",
        "size + bytes.remaining() > bytesMax",
        "false",
        "theFileHasABoundThatCountsWhatWasThere"),
    OTHERS_MAY_READ_A_FILE_THAT_WAS_THERE(
        "Recorder",
        "Files.setPosixFilePermissions(file, owner);",
        "",
        "theFileHasABoundThatCountsWhatWasThere"),
    ALL_TRANSACTIONS_ARE_RECORDED(
        "Recorder",
        "number > FIRST && number % LATER_EACH != 0",
        "false",
        "theFirstOfEachNameAndThenSomeAreRecorded"),
    NAMES_HAVE_NO_BOUND(
        "Recorder",
        "counts.size() >= NAMES_MAX",
        "false",
        "theFirstOfEachNameAndThenSomeAreRecorded");

    private final SourceEdit edit;
    private final SourceEdit none;
    private final String method;

    Bug(String type, String text, String instead, String method) {
      String file = "recording/" + type + ".java";
      this.edit = EditedClient.edit(file, text, instead);
      this.none = EditedClient.edit(file, text, text);
      this.method = method;
    }
  }

  @TempDir Path classes;
  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource
  void isCaught(Bug bug) throws Exception {
    assertNotNull(failure(bug.edit, bug.method), "the test passes");
  }

  /** Tests fail for the edit, not for the way in which they are run here. */
  @ParameterizedTest
  @EnumSource
  void withoutTheEditTheTestPasses(Bug bug) throws Exception {
    assertNull(failure(bug.none, bug.method));
  }

  private AssertionError failure(SourceEdit edit, String name) throws Exception {
    edit.compile(classes);
    try (EditedClasses loader =
        new EditedClasses(
            type -> type.startsWith("io.retso.hbase.recording."),
            List.of(
                classes.toUri().toURL(), placeOf(Recorder.class), placeOf(RecorderTest.class)))) {
      Class<?> test = Class.forName(RecorderTest.class.getName(), true, loader);
      Constructor<?> constructor = test.getDeclaredConstructor();
      constructor.setAccessible(true);
      Object instance = constructor.newInstance();
      Field files = test.getDeclaredField("directory");
      files.setAccessible(true);
      files.set(instance, Files.createTempDirectory(directory, "files"));
      Method method = test.getDeclaredMethod(name);
      method.setAccessible(true);
      method.invoke(instance);
      return null;
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof AssertionError caught) {
        return caught;
      }
      throw e;
    }
  }
}
