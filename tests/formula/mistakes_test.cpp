// Every mistake is reported where it is, with what was expected and the nearest thing that would be right.
#include <gtest/gtest.h>

#include "mortise/formula/expression.h"

namespace mortise::formula {
namespace {

const std::vector<std::string> names = {"t", "a", "theta0"};

struct Mistake {
  const char* text;
  int column, length;
  const char* message;
  const char* hint;
};

void expect(const Mistake& m) {
  try {
    Expression::parse(m.text, names);
    ADD_FAILURE() << m.text << " was accepted";
  } catch (const FormulaError& e) {
    EXPECT_EQ(e.column, m.column) << m.text;
    EXPECT_EQ(e.length, m.length) << m.text;
    EXPECT_STREQ(e.what(), m.message) << m.text;
    EXPECT_EQ(e.hint, m.hint) << m.text;
  }
}

TEST(FormulaMistakes, MissingOperands) {
  expect({"", 0, 1, "the formula is empty: expected a number, a name or '('", ""});
  expect({"   ", 0, 1, "the formula is empty: expected a number, a name or '('", ""});
  expect({"1 +", 3, 1, "expected a number, a name or '(' after '+'", ""});
  expect({"1 +  ", 3, 1, "expected a number, a name or '(' after '+'", ""});
  expect({"1 + * 2", 4, 1, "expected a number, a name or '(' after '+', found '*'", ""});
  expect({"* 2", 0, 1, "expected a number, a name or '(', found '*'", ""});
  expect({"()", 1, 1, "expected a number, a name or '(' after '(', found ')'", ""});
  expect({"max(1,)", 6, 1, "expected a number, a name or '(' after ',', found ')'", ""});
  expect({"t and", 5, 1, "expected a number, a name or '(' after 'and'", ""});
  expect({"t + or", 4, 2, "expected a number, a name or '(' after '+', found 'or'", ""});
  expect({"deg", 0, 3, "'deg' stands behind a number, a name or a bracket", "as in 30 deg"});
}

TEST(FormulaMistakes, MissingOperators) {
  expect({"2 t", 2, 1, "expected an operator between '2' and 't'", "write 2*t"});
  expect({"2t", 1, 1, "expected an operator between '2' and 't'", "write 2*t"});
  expect({"2pi", 1, 2, "expected an operator between '2' and 'pi'", "write 2*pi"});
  expect({"2(t + 1)", 1, 1, "expected an operator between '2' and '('", "write 2*(...)"});
  expect({"t(3)", 1, 1, "expected an operator between 't' and '('", "write t*(...)"});
  expect({"(t)(a)", 3, 1, "expected an operator between ')' and '('", "write (...)*(...)"});
  expect({"(t) a", 4, 1, "expected an operator between ')' and 'a'", "write (...)*a"});
  expect({"1 2", 2, 1, "expected an operator between '1' and '2'", "write 1*2"});
  expect({"3 rad", 2, 3, "expected an operator between '3' and 'rad'", "angles are in radians: leave 'rad' away"});
  expect({"30 degrees", 3, 7, "expected an operator between '30' and 'degrees'", "write deg"});
  expect({"5 mm", 2, 2, "expected an operator between '5' and 'mm'",
          "numbers are in SI units; the only unit to write is deg"});
  expect({"30 deg deg", 7, 3, "'deg' stands here twice", ""});
  expect({"0 < t < 1", 6, 1, "comparisons do not chain", "write a < b and b < c"});
}

TEST(FormulaMistakes, Brackets) {
  expect({"2*(t + 1", 2, 1, "this '(' is never closed", "expected ')'"});
  expect({"(1 + (2*t)", 0, 1, "this '(' is never closed", "expected ')'"});
  expect({"sin(t", 3, 1, "this '(' is never closed", "expected ')'"});
  expect({"t + 1)", 5, 1, "this ')' closes no bracket", ""});
  expect({"[t]", 0, 1, "'[' has no meaning in a formula", "formulas have round brackets only"});
}

TEST(FormulaMistakes, UnknownNames) {
  expect({"sin(thta0)", 4, 5, "unknown name 'thta0'", "did you mean 'theta0'?"});
  expect({"1 + speed", 4, 5, "unknown name 'speed'", "known names: t, a, theta0, pi, e"});
  expect({"PI*t", 0, 2, "unknown name 'PI'", "did you mean 'pi'?"});
  expect({"sni(t)", 0, 3, "unknown function 'sni'", "did you mean 'sin'?"});
  expect({"1 + ln(t)", 4, 2, "unknown function 'ln'", "did you mean 'log'?"});
  expect({"arctan(t)", 0, 6, "unknown function 'arctan'", "did you mean 'atan'?"});
  expect({"zzzzz(t)", 0, 5, "unknown function 'zzzzz'", ""});
}

TEST(FormulaMistakes, Calls) {
  expect({"sin t", 0, 3, "the function 'sin' needs its arguments in brackets", "write sin(...)"});
  expect({"2*sin", 2, 3, "the function 'sin' needs its arguments in brackets", "write sin(...)"});
  expect({"sin()", 0, 5, "'sin' takes 1 argument, found none", ""});
  expect({"1 + sin(t, a)", 4, 9, "'sin' takes 1 argument, found 2", ""});
  expect({"atan2(t)", 0, 8, "'atan2' takes 2 arguments, found 1", "atan2(y, x)"});
  expect({"if(t < 1, 2)", 0, 12, "'if' takes 3 arguments, found 2", "if(condition, a, b)"});
  expect({"max(t)", 0, 6, "'max' takes at least 2 arguments, found 1", ""});
  expect({"sqrt(1,5)", 0, 9, "'sqrt' takes 1 argument, found 2", "the decimal point is '.', not ','"});
}

TEST(FormulaMistakes, CommasAndNumbers) {
  expect({"1,5*t", 1, 1, "',' separates the arguments of a function; the decimal point is '.'", "write 1.5"});
  expect({"(1,5)", 2, 1, "',' separates the arguments of a function; the decimal point is '.'", "write 1.5"});
  expect({"t, a", 1, 1, "',' stands outside the brackets of a function call", ""});
  expect({"1.2.3", 3, 1, "a second decimal point in a number", ""});
  expect({"2 + 1e999", 4, 5, "the number '1e999' is outside the range of double precision",
          "magnitudes from 1e-307 to 1e308 can be written"});
  expect({"1e-999", 0, 6, "the number '1e-999' is outside the range of double precision",
          "magnitudes from 1e-307 to 1e308 can be written"});
}

TEST(FormulaMistakes, HabitsFromOtherLanguages) {
  expect({"a = 2", 2, 1, "'=' has no meaning in a formula", "to compare, write '=='; a formula assigns nothing"});
  expect({"a =< 2", 2, 2, "'=<' has no meaning in a formula", "write '<='"});
  expect({"a && t", 2, 2, "'&&' has no meaning in a formula", "write 'and'"});
  expect({"a || t", 2, 2, "'||' has no meaning in a formula", "write 'or'"});
  expect({"!a", 0, 1, "'!' has no meaning in a formula", "write 'not'"});
  expect(
      {"a % 2", 2, 1, "'%' has no meaning in a formula", "for a remainder write mod(a, b); for percent divide by 100"});
  expect({"t > 1 ? 2 : 3", 6, 1, "'?' has no meaning in a formula", "write if(condition, a, b)"});
  expect({"\"text\"", 0, 1, "'\"' has no meaning in a formula", "formulas have no text"});
  expect({"30\u00b0", 2, 1, "'\u00b0' has no meaning in a formula", "write deg, as in 30 deg"});
  expect({"2 \u2212 t", 2, 1, "'\u2212' has no meaning in a formula", "this is a typographic minus; write '-'"});
  expect({"\u03b1", 0, 1, "'\u03b1' has no meaning in a formula", ""});
  expect({"t \x01", 2, 1, "character 0x01 has no meaning in a formula", ""});
  expect({"t \xff", 2, 1, "character 0xff has no meaning in a formula", ""});
}

}  // namespace
}  // namespace mortise::formula
