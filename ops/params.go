package ops

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// Parameter describes one field of an operator's parameters. It is read from the tags of the struct: doc, default, min, max
// and enum (legal values, separated by commas).
type Parameter struct {
	Name    string // as in Parse: the field's name in snake case, such as "keep_dims"
	Type    string
	Doc     string
	Default string // empty: the zero value
	Min     *float64
	Max     *float64
	Enum    []string

	index int
}

var parameterCache sync.Map // reflect.Type → []Parameter

// Parameters describes the parameters of op, in the order of the fields.
func (op *Operator) Parameters() []Parameter {
	if op.Params == nil {
		return nil
	}
	kind := reflect.TypeOf(op.Params)
	if known, found := parameterCache.Load(kind); found {
		return known.([]Parameter)
	}
	described := make([]Parameter, kind.NumField())
	for i := range described {
		field := kind.Field(i)
		described[i] = Parameter{
			Name: snakeCase(field.Name), Type: field.Type.String(), Doc: field.Tag.Get("doc"), Default: field.Tag.Get("default"),
			Min: bound(field.Tag.Get("min")), Max: bound(field.Tag.Get("max")), index: i,
		}
		if enum := field.Tag.Get("enum"); enum != "" {
			described[i].Enum = strings.Split(enum, ",")
		}
	}
	parameterCache.Store(kind, described)
	return described
}

// ownParams returns params with slices of its own: the caller may change those that were given.
func ownParams(params any) any {
	if params == nil {
		return nil
	}
	given := reflect.ValueOf(params)
	var own reflect.Value
	for i := range given.NumField() {
		if field := given.Field(i); field.Kind() == reflect.Slice && !field.IsNil() {
			if !own.IsValid() {
				own = reflect.New(given.Type()).Elem()
				own.Set(given)
			}
			own.Field(i).Set(reflect.AppendSlice(reflect.MakeSlice(field.Type(), 0, field.Len()), field))
		}
	}
	if !own.IsValid() {
		return params
	}
	return own.Interface()
}

func bound(tag string) *float64 {
	if tag == "" {
		return nil
	}
	value, err := strconv.ParseFloat(tag, 64)
	if err != nil {
		panic(fmt.Sprintf("ops: bound %q of a parameter is no number", tag))
	}
	return &value
}

// snakeCase returns KeepDims as keep_dims; capitals in a row are one word, so DType is dtype.
func snakeCase(name string) string {
	var snake strings.Builder
	inCapitals := true
	for _, r := range name {
		capital := r >= 'A' && r <= 'Z'
		if capital {
			if !inCapitals {
				snake.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		inCapitals = capital
		snake.WriteRune(r)
	}
	return snake.String()
}

// checkParams returns what is wrong with params, a struct of the type of op.Params.
func checkParams(op *Operator, params any) string {
	if op.Params == nil {
		if params != nil {
			return "the operator takes no parameters"
		}
		return ""
	}
	value := reflect.ValueOf(params)
	if params == nil || value.Type() != reflect.TypeOf(op.Params) {
		return fmt.Sprintf("parameters of type %T, want %T", params, op.Params)
	}
	for _, p := range op.Parameters() {
		if problem := p.check(value.Field(p.index)); problem != "" {
			return problem
		}
	}
	return ""
}

// check returns what is wrong with a value of p.
func (p *Parameter) check(value reflect.Value) string {
	if p.Enum != nil {
		text := value.String()
		if value.Kind() != reflect.String {
			text = fmt.Sprint(value.Interface())
		}
		if !slices.Contains(p.Enum, text) {
			return fmt.Sprintf("%s is %q (legal: %s)", p.Name, text, strings.Join(p.Enum, ", "))
		}
	}
	if p.Min == nil && p.Max == nil {
		return ""
	}
	number := 0.0
	switch {
	case value.CanInt():
		number = float64(value.Int())
	case value.CanUint():
		number = float64(value.Uint())
	case value.CanFloat():
		number = value.Float()
	}
	below := p.Min != nil && !(number >= *p.Min)
	above := p.Max != nil && !(number <= *p.Max)
	if below || above {
		return fmt.Sprintf("%s is %v (legal: %s)", p.Name, value.Interface(), p.legalRange())
	}
	return ""
}

func (p *Parameter) legalRange() string {
	switch {
	case p.Min == nil:
		return fmt.Sprintf("at most %v", *p.Max)
	case p.Max == nil:
		return fmt.Sprintf("at least %v", *p.Min)
	}
	return fmt.Sprintf("from %v to %v", *p.Min, *p.Max)
}

// ParseParams makes the parameters of op of names and values: numbers, booleans, strings, slices of numbers, or strings
// that spell them. Parameters not named have their defaults. The error of an unknown name or an illegal value lists the
// legal ones.
func (op *Operator) ParseParams(values map[string]any) (any, error) {
	fail := func(detail string) (any, error) {
		return nil, &fault.Error{Operator: op.Name, Detail: detail, Cause: fault.ErrParameter, Site: fault.Here(2)}
	}
	if op.Params == nil {
		if len(values) > 0 {
			return fail("the operator takes no parameters")
		}
		return nil, nil
	}
	parsed := reflect.New(reflect.TypeOf(op.Params)).Elem()
	names := []string{}
	for _, p := range op.Parameters() {
		names = append(names, p.Name)
		given, found := values[p.Name]
		if !found {
			if p.Default == "" {
				continue
			}
			given = p.Default
		}
		if err := assign(parsed.Field(p.index), given); err != nil {
			return fail(fmt.Sprintf("%s: %v", p.Name, err))
		}
	}
	for name := range values {
		if !slices.Contains(names, name) {
			return fail(fmt.Sprintf("unknown parameter %q (known: %s)", name, strings.Join(names, ", ")))
		}
	}
	params := parsed.Interface()
	if problem := checkParams(op, params); problem != "" {
		return fail(problem)
	}
	return params, nil
}

// assign sets field to given, converted.
func assign(field reflect.Value, given any) error {
	value := reflect.ValueOf(given)
	if given != nil && value.Type() == field.Type() {
		field.Set(value)
		return nil
	}
	text := spelled(value)
	if field.Type() == reflect.TypeFor[dtype.DType]() {
		parsed, err := dtype.Parse(text)
		field.Set(reflect.ValueOf(parsed))
		return err
	}
	switch field.Kind() {
	case reflect.Bool:
		parsed, err := strconv.ParseBool(text)
		field.SetBool(parsed)
		return inPlainWords(err, text, "true or false")
	case reflect.Int:
		parsed, err := strconv.ParseInt(text, 10, 64)
		field.SetInt(parsed)
		return inPlainWords(err, text, "an integer")
	case reflect.Uint64:
		parsed, err := strconv.ParseUint(text, 10, 64)
		field.SetUint(parsed)
		return inPlainWords(err, text, "an integer that is not negative")
	case reflect.Float64:
		parsed, err := strconv.ParseFloat(text, 64)
		field.SetFloat(parsed)
		return inPlainWords(err, text, "a number")
	case reflect.String:
		field.SetString(text)
		return nil
	case reflect.Slice:
		if value.Kind() == reflect.Slice {
			return assignSlice(field, value)
		}
		words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("()[] ,", r) })
		return assignSlice(field, reflect.ValueOf(words))
	}
	return fmt.Errorf("cannot be given as %T", given)
}

// spelled returns the text of value; a float that is an integer looks like one.
func spelled(value reflect.Value) string {
	switch {
	case !value.IsValid():
		return "nil"
	case value.CanFloat():
		return strconv.FormatFloat(value.Float(), 'f', -1, value.Type().Bits())
	}
	return strings.TrimSpace(fmt.Sprint(value.Interface()))
}

// assignSlice sets field to the elements of given, a slice, converted.
func assignSlice(field, given reflect.Value) error {
	slice := reflect.MakeSlice(field.Type(), given.Len(), given.Len())
	for i := range given.Len() {
		if err := assign(slice.Index(i), given.Index(i).Interface()); err != nil {
			return err
		}
	}
	field.Set(slice)
	return nil
}

func inPlainWords(err error, text, want string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%q is not %s", text, want)
}
