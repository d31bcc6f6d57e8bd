package io.retso.hbase;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.CanBeAnnotated.Predicates.annotatedWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.filter.FilterBase;
import org.apache.hadoop.hbase.io.TimeRange;
import org.apache.yetus.audience.InterfaceAudience;
import org.junit.jupiter.api.Test;

/** Which package may know which; docs/hbase.md, "Code". */
class ArchitectureTest {
  private static final JavaClasses MODULE =
      new ClassFileImporter().importPath(Path.of("target", "classes"));

  private static final String[] FOR_APPLICATIONS = {
    "io.retso.hbase",
    "io.retso.hbase.errors",
    "io.retso.hbase.admin",
    "io.retso.hbase.options",
    "io.retso.hbase.backup"
  };

  private static final String COPROCESSOR = "io.retso.hbase.coprocessor..";

  /** It makes what implements the interfaces, so it knows what is above them. */
  private static final DescribedPredicate<JavaClass> THE_BUILDER =
      equivalentTo(ManagerBuilder.class);

  /** It is made of the interfaces, and of threads. */
  private static final DescribedPredicate<JavaClass> THE_PARALLEL_SCAN =
      equivalentTo(ParallelScan.class);

  /** What is restored are files of HBase, which its servers alone know how to write. */
  private static final DescribedPredicate<JavaClass> THE_WRITER_OF_FILES =
      describe(
          "writes backups", type -> type.getName().startsWith("io.retso.hbase.backup.RangeFiles"));

  /** From the top; each may know those below it. Those of one line do not know each other. */
  private static final List<List<String>> CLIENT =
      List.of(
          List.of("transaction", "backup"),
          List.of(""),
          List.of("sweep"),
          List.of("commit", "admin", "check"),
          List.of("read", "write"),
          List.of("cleanup", "operation", "recording"),
          List.of("table"),
          List.of("failures", "metrics"),
          List.of("errors"),
          List.of("resolve"),
          List.of("layout"),
          List.of("options", "futures"),
          List.of("trace"));

  /** Likewise in the coprocessor; all of them may know resolve and layout. */
  private static final List<List<String>> REGION =
      List.of(
          List.of("coprocessor"),
          List.of("coprocessor.read", "coprocessor.purge"),
          List.of("coprocessor.oracle"),
          List.of("coprocessor.write"),
          List.of("coprocessor.region"),
          List.of("coprocessor.hbase"));

  @Test
  void roomsKnowOnlyThoseBelowThem() {
    for (List<List<String>> floors : List.of(CLIENT, REGION)) {
      List<String> above = new ArrayList<>();
      for (List<String> floor : floors) {
        for (String room : floor) {
          List<String> others = new ArrayList<>(above);
          floor.stream().filter(other -> !other.equals(room)).forEach(others::add);
          if (!others.isEmpty()) {
            noClasses()
                .that()
                .resideInAPackage(name(room))
                .and(not(THE_BUILDER))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                    others.stream().map(ArchitectureTest::name).toArray(String[]::new))
                .check(MODULE);
          }
        }
        above.addAll(floor);
      }
    }
  }

  private static String name(String room) {
    return room.isEmpty() ? "io.retso.hbase" : "io.retso.hbase." + room;
  }

  @Test
  void packagesFormNoCycles() {
    slices().matching("io.retso.hbase.(**)").should().beFreeOfCycles().check(MODULE);
  }

  @Test
  void clientAndCoprocessorDoNotKnowEachOther() {
    String[] shared = {"io.retso.hbase.resolve", "io.retso.hbase.layout", "io.retso.hbase.options"};
    noClasses()
        .that()
        .resideOutsideOfPackages(COPROCESSOR)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(COPROCESSOR)
        .check(MODULE);
    noClasses()
        .that()
        .resideInAPackage(COPROCESSOR)
        .should()
        .dependOnClassesThat(
            resideInAPackage("io.retso.hbase..")
                .and(not(resideInAPackage(COPROCESSOR)))
                .and(not(resideInAnyPackage(shared))))
        .check(MODULE);
  }

  /** So that an application can have its own in unit tests. */
  @Test
  void theInterfacesKnowNothingOfTheirImplementation() {
    noClasses()
        .that()
        .resideInAPackage("io.retso.hbase")
        .and(not(THE_BUILDER))
        .and(not(THE_PARALLEL_SCAN))
        .should()
        .dependOnClassesThat(
            resideInAPackage("io.retso..").and(not(resideInAnyPackage(FOR_APPLICATIONS))))
        .check(MODULE);
    for (Class<?> type :
        List.of(
            TransactionManager.class,
            Transaction.class,
            ReadTransaction.class,
            TransactionalTable.class,
            AsyncTransactionalTable.class,
            ReadTable.class,
            AsyncReadTable.class)) {
      assertTrue(type.isInterface(), type::getName);
    }
  }

  /**
   * An application may have filled the JVM's common pool, and what timers of the JDK complete may
   * block their thread: nothing of ours waits for either.
   */
  @Test
  void nothingRunsOnThreadsThatApplicationsBlock() {
    noClasses()
        .should()
        .accessTargetWhere(
            describe(
                "runs on the JVM's common pool or timer",
                access -> isOnThreadOfAll(access.getTarget())))
        .check(MODULE);
  }

  private static boolean isOnThreadOfAll(AccessTarget target) {
    String name = target.getName();
    if (!target.getOwner().isAssignableTo(CompletionStage.class)) {
      return target.getOwner().isEquivalentTo(ForkJoinPool.class)
          || Set.of("parallel", "parallelStream").contains(name);
    }
    return name.endsWith("Async")
            && target instanceof CodeUnitAccessTarget called
            && called.getRawParameterTypes().stream()
                .noneMatch(type -> type.isEquivalentTo(Executor.class))
        || Set.of("orTimeout", "completeOnTimeout", "delayedExecutor").contains(name);
  }

  /** The jar is used without Micrometer, too. */
  @Test
  void micrometerIsNeededByThoseWhoWantMeters() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.retso.hbase.metrics")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.micrometer..")
        .check(MODULE);
  }

  /** HBase's client brings it today; another one need not. */
  @Test
  void openTelemetryIsNeededByThoseWhoWantTraces() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.retso.hbase.trace")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.opentelemetry..")
        .check(MODULE);
  }

  /** As containers, mocks and serializers do with classes of any object that they meet. */
  @Test
  void publicClassesCanBeLookedAtWithoutLibrariesThatAnApplicationMayLack() throws Exception {
    ClassLoader loader = new Lacking(ArchitectureTest.class.getClassLoader());
    int looked = 0;
    for (JavaClass type : MODULE) {
      if (type.getPackageName().startsWith("io.retso.hbase.coprocessor")
          || !type.getModifiers().contains(JavaModifier.PUBLIC)) {
        continue;
      }
      try {
        Class<?> seen = Class.forName(type.getName(), false, loader);
        assertEquals(loader, seen.getClassLoader());
        seen.getMethods();
        seen.getDeclaredMethods();
        seen.getDeclaredConstructors();
        seen.getDeclaredFields();
        seen.getDeclaredClasses();
        looked++;
      } catch (NoClassDefFoundError e) {
        throw new AssertionError(type.getName() + " names what may be missing", e);
      }
    }
    assertTrue(looked > 60, "only " + looked);
  }

  /** Has no Micrometer, no OpenTelemetry and no classes of HBase's servers. */
  private static final class Lacking extends ClassLoader {
    private static final List<String> MISSING =
        List.of(
            "io.micrometer.",
            "io.opentelemetry.",
            "org.apache.hadoop.hbase.regionserver.",
            "org.apache.hadoop.hbase.coprocessor.");

    Lacking(ClassLoader all) {
      super(all);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (MISSING.stream().anyMatch(name::startsWith)) {
        throw new ClassNotFoundException(name);
      }
      if (!name.startsWith("io.retso.hbase.")) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? define(name) : loaded;
      }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      Path file = Path.of("target", "classes", name.replace('.', '/') + ".class");
      try {
        byte[] bytes = Files.readAllBytes(file);
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  /** What an application sees is in the packages that are for applications. */
  @Test
  void publicSignaturesNameOnlyWhatIsForApplications() {
    List<String> leaks = new ArrayList<>();
    for (JavaClass type : MODULE) {
      if (!List.of(FOR_APPLICATIONS).contains(type.getPackageName())
          || !type.getModifiers().contains(JavaModifier.PUBLIC)) {
        continue;
      }
      for (JavaCodeUnit unit : type.getCodeUnits()) {
        boolean isPublic = unit.getModifiers().contains(JavaModifier.PUBLIC);
        Set<JavaClass> named = new HashSet<>(unit.getAllInvolvedRawTypes());
        named.removeIf(
            other ->
                !other.getPackageName().startsWith("io.retso.hbase")
                    || List.of(FOR_APPLICATIONS).contains(other.getPackageName()));
        if (isPublic && !named.isEmpty()) {
          leaks.add(unit.getFullName() + " names " + named);
        }
      }
    }
    assertEquals(List.of(), leaks);
  }

  /** As HBase has it: what is not marked as public is not. The overview leads to all that is. */
  @Test
  void whatIsForApplicationsSaysSo() throws IOException {
    String overview =
        Files.readString(Path.of("src/main/java/io/retso/hbase/package-info.java"))
            .replaceAll("\\s[* ]*", " ");
    List<String> wrong = new ArrayList<>();
    for (JavaClass type : MODULE) {
      boolean isFor =
          List.of(FOR_APPLICATIONS).contains(type.getPackageName())
              && type.getModifiers().contains(JavaModifier.PUBLIC)
              && !type.isNestedClass();
      if (isFor != type.isAnnotatedWith(InterfaceAudience.Public.class)) {
        wrong.add(type.getName() + (isFor ? " lacks" : " has") + " @InterfaceAudience.Public");
      }
      if (isFor
          && !type.getSimpleName().equals("package-info")
          && !overview.contains("{@link " + type.getName() + "}")) {
        wrong.add(type.getName() + " is not in the overview");
      }
    }
    assertEquals(List.of(), wrong);
  }

  @Test
  void onlyTheCoprocessorLivesInRegionServers() {
    noClasses()
        .that()
        .resideOutsideOfPackage(COPROCESSOR)
        .and(not(THE_WRITER_OF_FILES))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.apache.hadoop.hbase.regionserver..", "org.apache.hadoop.hbase.coprocessor..")
        .because("an application has HBase's client, not its server")
        .check(MODULE);
  }

  /** So that there is one class to compare with another version of HBase. */
  @Test
  void oneClassKnowsTheInsideOfHBase() {
    DescribedPredicate<JavaClass> cellsAndFilters =
        equivalentTo(KeyValue.class)
            .or(equivalentTo(KeyValueUtil.class))
            .or(equivalentTo(KeyValue.Type.class))
            .or(equivalentTo(ExtendedCell.class))
            .or(equivalentTo(PrivateCellUtil.class))
            .or(equivalentTo(TagType.class))
            .or(equivalentTo(TimeRange.class))
            .or(equivalentTo(FilterBase.class));
    noClasses()
        .that()
        .resideInAPackage(COPROCESSOR)
        .and(not(resideInAPackage("io.retso.hbase.coprocessor.hbase")))
        .should()
        .dependOnClassesThat(
            resideInAPackage("org.apache.hadoop.hbase..")
                .and(annotatedWith(InterfaceAudience.Private.class))
                .and(not(cellsAndFilters)))
        .check(MODULE);
  }

  @Test
  void namesSayWhatAClassIsFor() {
    noClasses()
        .should()
        .haveNameMatching(".*(Impl|Utils?|Helper)")
        .orShould()
        .haveNameMatching(".*\\.(Abstract|Mock)[A-Z][^.]*")
        .check(MODULE);
  }
}
