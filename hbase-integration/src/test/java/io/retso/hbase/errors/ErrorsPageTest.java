package io.retso.hbase.errors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.retso.hbase.errors.TransactionException.Category;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/errors.md has a row for each exception, category and reason, and for nothing else. */
class ErrorsPageTest {
  private static final Path PAGE = Path.of("..", "docs", "errors.md");

  private static List<String> column(int index) throws IOException {
    return Files.readAllLines(PAGE).stream()
        .filter(line -> line.startsWith("| ") && !line.startsWith("| exception"))
        .map(line -> line.split("\\|")[index].strip())
        .filter(text -> text.startsWith("`"))
        .map(text -> text.replace("`", ""))
        .toList();
  }

  @Test
  void eachExceptionHasARow() throws Exception {
    TreeSet<String> names = new TreeSet<>();
    for (JavaClass type :
        new ClassFileImporter().importPackages(ErrorsPageTest.class.getPackageName())) {
      if (type.isAssignableTo(TransactionException.class)
          && !type.isEquivalentTo(TransactionException.class)) {
        names.add(type.getSimpleName());
      }
    }
    assertTrue(names.size() > 10, names::toString);
    assertEquals(names, new TreeSet<>(column(1)));
  }

  @Test
  void eachCategoryAndReasonHasARow() throws Exception {
    TreeSet<String> expected = new TreeSet<>();
    Stream.of(Category.values()).map(Category::name).forEach(expected::add);
    Stream.of(SerializationException.Reason.values()).map(Enum::name).forEach(expected::add);
    assertEquals(expected, new TreeSet<>(column(2)));
  }
}
